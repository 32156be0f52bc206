%% Time in NIFs: short calls on a normal scheduler, long ones on a dirty one, and one C function
%% that two Erlang functions share. Its library has no symbols.
-module(gt_nif_tables).
-export([main/0, busy/1, busy_dirty/1, shared_a/1, shared_b/1, runner/0, dirty_runner/0]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    spawn_link(?MODULE, runner, []),
    spawn_link(?MODULE, dirty_runner, []),
    gt_control:serve(fun() -> #{module => ?MODULE} end).

runner() ->
    call_busy(),
    call_shared(),
    runner().

call_busy() -> {busy(300_000)}.

call_shared() -> {shared_a(100_000), shared_b(100_000)}.

dirty_runner() ->
    {busy_dirty(5_000_000)},
    dirty_runner().

busy(_) -> erlang:nif_error(not_loaded).
busy_dirty(_) -> erlang:nif_error(not_loaded).
shared_a(_) -> erlang:nif_error(not_loaded).
shared_b(_) -> erlang:nif_error(not_loaded).
