%% Fixed work in the C runtime of the VM, a section for each part of it: a driver for bench_sections.
-module(bench_runtime).
-export([sections/0, copy/0, collect/0, compare/0, tables/0, external/0, binaries/0, hash/0]).

sections() -> [copy, collect, compare, tables, external, binaries, hash].

-define(ROUNDS, 200).

copy() ->
    Term = term(),
    Echo = spawn_link(fun() -> echo() end),
    _ = [
        begin
            Echo ! {self(), Term},
            receive
                {Echo, Back} -> length(Back)
            end
        end
     || _ <- lists:seq(1, ?ROUNDS)
    ],
    Echo ! stop,
    true = is_process_alive(self()).

echo() ->
    receive
        {From, Term} ->
            From ! {self(), Term},
            echo();
        stop ->
            ok
    end.

collect() ->
    Term = term(),
    _ = [erlang:garbage_collect() || _ <- lists:seq(1, ?ROUNDS)],
    true = length(Term) > 0.

compare() ->
    {A, B} = {term(), term()},
    true = lists:all(fun(_) -> A == B end, lists:seq(1, ?ROUNDS)).

tables() ->
    Table = ets:new(table, [ordered_set]),
    _ = [ets:insert(Table, {{N rem 7, N}, N}) || N <- lists:seq(1, 20 * ?ROUNDS)],
    _ = [ets:lookup(Table, {N rem 7, N}) || N <- lists:seq(1, 20 * ?ROUNDS)],
    true = ets:delete(Table).

external() ->
    Term = term(),
    _ = [binary_to_term(term_to_binary(Term)) || _ <- lists:seq(1, ?ROUNDS div 4)],
    true = is_list(Term).

binaries() ->
    Text = binary:copy(<<"one,two,three,four;">>, 200),
    _ = [length(binary:split(Text, [<<",">>, <<";">>], [global])) || _ <- lists:seq(1, ?ROUNDS div 10)],
    true = is_binary(Text).

hash() ->
    Term = term(),
    _ = [erlang:phash2(Term) || _ <- lists:seq(1, ?ROUNDS)],
    true = is_list(Term).

%% Some ten thousand words.
term() ->
    [{N, <<"a text">>, [N, N + 1], #{key => N}} || N <- lists:seq(1, 500)].
