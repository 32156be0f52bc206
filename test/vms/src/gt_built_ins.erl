%% Built-in functions that no C frame shows: their C functions end in a jump to another one, or they are interrupted and
%% continue in another function. Each has one caller, which calls nothing else, so a sample below that shows no other.
%% With the argument "resting" it works a fifth of the time.
-module(gt_built_ins).
-export([main/0, process/1]).
-export([run/1, match_object/1, matches/1, append/1, subtract/1, keyfind/1, applied/1]).

main() ->
    Rests = gt_control:arguments() =:= ["resting"],
    spawn_link(?MODULE, process, [Rests]),
    gt_control:serve(fun() -> #{} end).

process(Rests) ->
    Table = ets:new(?MODULE, []),
    ets:insert(Table, [{Key, Key rem 100, <<"value">>} || Key <- lists:seq(1, 5_000)]),
    List = lists:seq(1, 20_000),
    Pairs = [{Key, Key} || Key <- List],
    forever(Rests, [{fun ?MODULE:run/1, lists:duplicate(16, $a) ++ "b"},
                    {fun ?MODULE:match_object/1, Table},
                    {fun ?MODULE:matches/1, binary:copy(<<"abcdefghij,">>, 10_000)},
                    {fun ?MODULE:append/1, List},
                    {fun ?MODULE:subtract/1, List},
                    {fun ?MODULE:keyfind/1, Pairs},
                    {fun ?MODULE:applied/1, {lists, Pairs}}]).

forever(Rests, Calls) ->
    Before = erlang:monotonic_time(microsecond),
    lists:foreach(fun({Function, Argument}) -> ok = Function(Argument) end, Calls),
    Took = erlang:monotonic_time(microsecond) - Before,
    Rests andalso timer:sleep(1 + 4 * Took div 1000),
    forever(Rests, Calls).

run(Subject) ->
    nomatch = re:run(Subject, "^(a+)+$"),
    ok.

match_object(Table) ->
    [_ | _] = ets:match_object(Table, {'_', 7, '_'}),
    ok.

matches(Bytes) ->
    [_ | _] = binary:matches(Bytes, <<"j,a">>),
    ok.

append(List) ->
    [_ | _] = List ++ [1],
    ok.

subtract(List) ->
    [_ | _] = List -- [1, 5],
    ok.

keyfind(Pairs) ->
    false = lists:keyfind(absent, 1, Pairs),
    ok.

%% As it is called where the module is only known then.
applied({Module, Pairs}) ->
    false = Module:keyfind(absent, 1, Pairs),
    ok.
