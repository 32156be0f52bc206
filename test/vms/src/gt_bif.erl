%% Built-in functions called from known places. Two modes (first argument):
%%
%% exact   every built-in function below has exactly ONE legal caller, line and stack. The
%%         process moves from one to the next within microseconds, so a profiler that reads
%%         the Erlang stack too late shows a pair that cannot be. Only functions that may fail
%%         are called: for others (term_to_binary/1) the compiler emits no line.
%% shares  the same built-in functions called from several functions with known shares.
-module(gt_bif).
-export([main/0, exact_process/1, receiver/0, caught_up/0]).
-export([phash2_a/1, phash2_b/1, external_a/1, external_b/1, reverse_a/1, reverse_b/1]).

main() ->
    case gt_control:arguments() of
        ["shares" | _] -> shares();
        _ -> exact()
    end.

%% ---- exact -----------------------------------------------------------------------------

exact() ->
    register(gt_bif_receiver, spawn_link(?MODULE, receiver, [])),
    Rounds = counters:new(1, []),
    Timeline = gt_timeline:new(0),
    spawn_link(?MODULE, exact_process, [{Rounds, Timeline}]),
    gt_control:serve(fun() -> #{rounds => counters:get(Rounds, 1),
                                timeline => gt_timeline:report(Timeline, [])} end).

exact_process(Rounds) ->
    Table = ets:new(gt_bif_table, [set]),
    ets:insert(Table, [{Key, Key * 2, <<"value">>} || Key <- lists:seq(1, 100)]),
    Short = {Table, [{Key, Key} || Key <- lists:seq(1, 30)], <<0:(8 * 200)>>, #{a => 1, b => 2, c => 3},
             {some, [small, "term"], 17}},
    Long = {lists:seq(1, 20_000), <<0:(8 * 300_000)>>, [{Key, [Key], <<"bytes">>} || Key <- lists:seq(1, 3_000)]},
    exact_forever(Rounds, Short, Long).

exact_forever(Rounds, Short, Long) ->
    ok = short_round(100, Short),
    ok = long_round(1, Long),
    counters:add(element(1, Rounds), 1, 1),
    gt_timeline:work(element(2, Rounds), 1),
    caught_up(),
    exact_forever(Rounds, Short, Long).

short_round(0, _) -> ok;
short_round(Times, {Table, Pairs, Bytes, Map, Term} = Short) ->
    short_phash2(10, Term, none),
    short_lookup(10, Table, none),
    short_keyfind(10, Pairs, none),
    short_crc32(10, Bytes, none),
    short_merge(10, Map, none),
    short_to_list(10, 1234567, none),
    short_send(10, Term, none),
    short_adler32(10, Bytes, none),
    short_round(Times - 1, Short).

long_round(0, _) -> ok;
long_round(Times, {List, Bytes, Terms} = Long) ->
    long_external(4, Terms, none),
    long_reverse(4, List, none),
    long_member(10, List, none),
    long_copy(10, Bytes, none),
    long_md5(2, Bytes, none),
    long_matches(2, Bytes, none),
    long_round(Times - 1, Long).

short_phash2(0, _, Result) -> Result;
short_phash2(Count, Term, _) ->
    Result = erlang:phash2(Term),
    short_phash2(Count - 1, Term, Result).

short_lookup(0, _, Result) -> Result;
short_lookup(Count, Table, _) ->
    Result = ets:lookup(Table, 40 + Count),
    short_lookup(Count - 1, Table, Result).

short_keyfind(0, _, Result) -> Result;
short_keyfind(Count, Pairs, _) ->
    Result = lists:keyfind(20 + Count, 1, Pairs),
    short_keyfind(Count - 1, Pairs, Result).

short_crc32(0, _, Result) -> Result;
short_crc32(Count, Bytes, _) ->
    Result = erlang:crc32(Bytes),
    short_crc32(Count - 1, Bytes, Result).

short_merge(0, _, Result) -> Result;
short_merge(Count, Map, _) ->
    Result = maps:merge(Map, #{c => 4, d => 5}),
    short_merge(Count - 1, Map, Result).

short_to_list(0, _, Result) -> Result;
short_to_list(Count, Number, _) ->
    Result = erlang:integer_to_list(Number),
    short_to_list(Count - 1, Number, Result).

short_send(0, _, Result) -> Result;
short_send(Count, Term, _) ->
    Result = (gt_bif_receiver ! Term),
    short_send(Count - 1, Term, Result).

short_adler32(0, _, Result) -> Result;
short_adler32(Count, Bytes, _) ->
    Result = erlang:adler32(Bytes),
    short_adler32(Count - 1, Bytes, Result).

long_external(0, _, Result) -> byte_size(Result);
long_external(Count, Terms, _) ->
    Result = erlang:term_to_binary(Terms, []),
    long_external(Count - 1, Terms, Result).

long_reverse(0, _, Result) -> hd(Result);
long_reverse(Count, List, _) ->
    Result = lists:reverse(List, [Count]),
    long_reverse(Count - 1, List, Result).

long_member(0, _, Result) -> Result;
long_member(Count, List, _) ->
    Result = lists:member(absent, List),
    long_member(Count - 1, List, Result).

long_copy(0, _, Result) -> byte_size(Result);
long_copy(Count, Bytes, _) ->
    Result = binary:copy(Bytes, 2),
    long_copy(Count - 1, Bytes, Result).

long_md5(0, _, Result) -> Result;
long_md5(Count, Bytes, _) ->
    Result = erlang:md5(Bytes),
    long_md5(Count - 1, Bytes, Result).

long_matches(0, _, Result) -> Result;
long_matches(Count, Bytes, _) ->
    Result = binary:matches(Bytes, <<1, 2, 3>>),
    long_matches(Count - 1, Bytes, Result).

receiver() ->
    receive
        {caught_up, From} -> From ! caught_up;
        _ -> ok
    end,
    receiver().

caught_up() ->
    gt_bif_receiver ! {caught_up, self()},
    receive caught_up -> ok end.

%% ---- shares ----------------------------------------------------------------------------

shares() ->
    Slices = gt_slices:start(?MODULE,
                             [{phash2_a, 4_000, 1}, {phash2_b, 2_000, 1},
                              {external_a, 6_000, 1}, {external_b, 2_000, 1},
                              {reverse_a, 4_000, 1}, {reverse_b, 2_000, 1}]),
    gt_control:serve(fun() -> gt_slices:truth(Slices) end).

small() -> {some, [small, "term", {with, parts}], 17}.
terms() -> [{Key, [Key], <<"bytes">>} || Key <- lists:seq(1, 500)].

phash2_a(Count) -> phash2_a(Count, small(), 0).
phash2_a(0, _, Result) -> Result;
phash2_a(Count, Term, _) ->
    Result = erlang:phash2(Term),
    phash2_a(Count - 1, Term, Result).

phash2_b(Count) -> phash2_b(Count, small(), 0).
phash2_b(0, _, Result) -> Result;
phash2_b(Count, Term, _) ->
    Result = erlang:phash2(Term),
    phash2_b(Count - 1, Term, Result).

external_a(Count) -> external_a(Count, terms(), <<>>).
external_a(0, _, Result) -> byte_size(Result);
external_a(Count, Terms, _) ->
    Result = erlang:term_to_binary(Terms),
    external_a(Count - 1, Terms, Result).

external_b(Count) -> external_b(Count, terms(), <<>>).
external_b(0, _, Result) -> byte_size(Result);
external_b(Count, Terms, _) ->
    Result = erlang:term_to_binary(Terms),
    external_b(Count - 1, Terms, Result).

reverse_a(Count) -> reverse_a(Count, lists:seq(1, 2_000), []).
reverse_a(0, _, Result) -> hd(Result);
reverse_a(Count, List, _) ->
    Result = lists:reverse(List, [Count]),
    reverse_a(Count - 1, List, Result).

reverse_b(Count) -> reverse_b(Count, lists:seq(1, 2_000), []).
reverse_b(0, _, Result) -> hd(Result);
reverse_b(Count, List, _) ->
    Result = lists:reverse(List, [Count]),
    reverse_b(Count - 1, List, Result).
