%% Processes that rest, beside storms of all that moves memory: processes that come and go, ETS tables and their rows,
%% collections, and code that is loaded and purged when it is told so.
-module(gt_storms).
-export([main/0, rest/2, spawning/0, tables/1, collecting/1, reloading/1]).

main() ->
    [Wanted | Reloading] = gt_control:arguments(),
    Resting = [spawn(?MODULE, rest, [Number rem 4, self()]) || Number <- lists:seq(1, list_to_integer(Wanted))],
    [receive {resting, Pid} -> ok end || Pid <- Resting],
    Code = [compiled(Generation) || Generation <- [1, 2]],
    Storms = [spawn(?MODULE, Storm, Arguments) || {Storm, Arguments} <- [{spawning, []}, {tables, [[]]}, {collecting, [[]]}]],
    [spawn(?MODULE, reloading, [Code]) || _ <- Reloading],
    Names = fun(Pids) -> [list_to_binary(pid_to_list(Pid)) || Pid <- Pids] end,
    gt_control:serve(fun() -> #{resting => Names(Resting), storming => Names(Storms)} end).

%% Of four kinds: with a dictionary, with binaries, with an old heap, with nothing.
rest(Kind, Main) ->
    Kind =:= 1 andalso put('$process_label', {worker, self()}),
    Kind =:= 2 andalso put(held, [binary:copy(<<Byte>>, 300) || Byte <- lists:seq(1, 20)]),
    Kind =:= 3 andalso begin put(list, lists:seq(1, 2000)), erlang:garbage_collect() end,
    Main ! {resting, self()},
    receive stop -> ok end.

%% In the memory of those before.
spawning() ->
    [spawn(fun() -> put('$initial_call', {storm, Word, 1}), lists:seq(1, Word * 10) end) || Word <- lists:seq(1, 100)],
    timer:sleep(3),
    spawning().

tables(Kept) ->
    Table = ets:new(storm, [ordered_set]),
    [ets:insert(Table, {Key, lists:seq(1, 20)}) || Key <- lists:seq(1, 200)],
    [Oldest | Young] = lists:reverse([Table | Kept]),
    timer:sleep(3),
    case length(Young) > 20 of
        true -> ets:delete(Oldest), tables(lists:reverse(Young));
        false -> tables([Table | Kept])
    end.

collecting(Kept) ->
    New = [{Word, binary:copy(<<Word>>, 100)} || Word <- lists:seq(1, 500)],
    erlang:garbage_collect(),
    timer:sleep(3),
    collecting(lists:sublist([New | Kept], 10)).

reloading([Code | Others]) ->
    code:purge(gt_storms_code),
    {module, _} = code:load_binary(gt_storms_code, "gt_storms_code.erl", Code),
    [one, two] = lists:sort(gt_storms_code:words()),
    timer:sleep(3),
    reloading(Others ++ [Code]).

compiled(Generation) ->
    Forms = [{attribute, 1, module, gt_storms_code},
             {attribute, 1, export, [{words, 0}]},
             {function, 1, words, 0,
              [{clause, 1, [], [], [erl_parse:abstract(case Generation of 1 -> [one, two]; 2 -> [two, one] end, 1)]}]}],
    {ok, gt_storms_code, Binary} = compile:forms(Forms),
    Binary.
