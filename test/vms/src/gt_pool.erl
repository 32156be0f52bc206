%% A NIF that has started threads of its own, one from a scheduler and one from a dirty scheduler, while
%% both of these run Erlang processes. With +S 1:1 +SDcpu 1:1 each thread has the name of a busy scheduler.
-module(gt_pool).
-export([main/0, grow/0, grow_dirty/0, work_dirty/0, counts/1, calls/0]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    0 = grow(),
    0 = grow_dirty(),
    spawn_link(?MODULE, counts, [0]),
    spawn_link(?MODULE, calls, []),
    gt_control:serve(fun() -> #{module => ?MODULE} end).

counts(Number) -> counts((Number * 31 + 7) band 16#ffffff).

calls() ->
    {work_dirty()},
    calls().

grow() -> erlang:nif_error(not_loaded).
grow_dirty() -> erlang:nif_error(not_loaded).
work_dirty() -> erlang:nif_error(not_loaded).
