%% A process in a NIF that waits, on a normal scheduler, and processes whose time limits that scheduler has to notice.
-module(gt_asleep).
-export([main/0, asleep/1]).
-nifs([asleep/1]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    Sleeper = on_second(fun() -> receive go -> sleeper() end end),
    %% Of several times: not all of them are about to run when it begins to sleep.
    Late = [on_second(fun() -> late(Ms) end) || Ms <- [2000, 2300, 2700]],
    Ticker = on_second(fun() -> ticker(2000) end),
    %% Once it sleeps, the VM loads no code any more: that takes all schedulers.
    gt_control:serve(fun() ->
        erlang:send_after(300, Sleeper, go),
        #{sleeper => name(Sleeper), late => [name(Pid) || Pid <- Late], ticker => name(Ticker)}
    end).

on_second(Fun) -> spawn_opt(Fun, [{scheduler, 2}]).

late(Ms) -> receive never -> ok after Ms -> late(Ms) end.

%% It waits without a limit, for a message of its own timer.
ticker(Ms) ->
    erlang:send_after(Ms, self(), tick),
    receive tick -> ticker(Ms) end.

name(Pid) -> list_to_binary(pid_to_list(Pid)).

sleeper() -> {ok, asleep(600)}.

asleep(_) -> erlang:nif_error(not_loaded).
