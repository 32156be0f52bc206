%% A process in a NIF that waits, on a normal scheduler.
-module(gt_asleep).
-export([main/0, asleep/1]).
-nifs([asleep/1]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    Sleeper = spawn(fun() -> receive go -> sleeper() end end),
    %% Once it sleeps, the VM loads no code any more: that takes all schedulers.
    gt_control:serve(fun() -> erlang:send_after(300, Sleeper, go), #{sleeper => list_to_binary(pid_to_list(Sleeper))} end).

sleeper() -> {ok, asleep(600)}.

asleep(_) -> erlang:nif_error(not_loaded).
