%% So many processes that always work. Arguments: the file to write the process id of the VM to, the number of
%% processes, and for how many seconds they wait before they begin (0 if not given).
-module(gt_processors).
-export([main/1, work/1]).

main([File, Count]) -> main([File, Count, '0']);
main([File, Count, Delay]) ->
    ok = file:write_file(File, os:getpid()),
    timer:sleep(1000 * number(Delay)),
    [spawn_link(?MODULE, work, [0]) || _ <- lists:seq(1, number(Count))],
    receive after infinity -> ok end.

number(Argument) -> list_to_integer(atom_to_list(Argument)).

%% Erlang code, built-in functions and collections of garbage in turn.
work(Sum) ->
    Numbers = lists:seq(1, 200),
    Bytes = term_to_binary(Numbers),
    work((lists:sum(Numbers) + byte_size(Bytes) + erlang:phash2(Numbers)) rem 1_000_003 + Sum band 1).
