%% A process in a NIF that waits, on a normal scheduler, and processes whose time limits and timers that scheduler has to
%% notice. One of the timers is cancelled meanwhile.
-module(gt_asleep).
-export([main/0, asleep/1]).
-nifs([asleep/1]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    Sleeper = on_second(fun() -> receive go -> sleeper() end end),
    %% Of several times: not all of them are about to run when it begins to sleep.
    Late = [on_second(fun() -> late(Ms) end) || Ms <- [2000, 2300, 2700]],
    Tickers = [on_second(fun() -> ticker(Ms) end) || Ms <- [2000, 2300, 2700]],
    Cancels = spawn_opt(fun cancels/0, [{scheduler, 1}]),
    Setter = on_second(fun() -> setter(Cancels, Sleeper) end),
    %% Once it sleeps, the VM loads no code any more: that takes all schedulers. What waits for its scheduler may be the
    %% process that prints.
    gt_control:serve(
        fun() ->
            #{sleeper => name(Sleeper), late => [name(Pid) || Pid <- Late],
              tickers => [name(Pid) || Pid <- Tickers], cancels => name(Cancels)}
        end,
        fun() -> Setter ! set end
    ).

on_second(Fun) -> spawn_opt(Fun, [{scheduler, 2}]).

late(Ms) -> receive never -> ok after Ms -> late(Ms) end.

%% It waits without a limit, for a message of its own timer.
ticker(Ms) ->
    erlang:send_after(Ms, self(), tick),
    receive tick -> ticker(Ms) end.

setter(For, Sleeper) ->
    receive set -> For ! {timer, erlang:send_after(3000, For, tick)}, erlang:send_after(300, Sleeper, go) end,
    setter(For, Sleeper).

%% Its own timer, of the other scheduler, which sleeps by then.
cancels() ->
    receive
        {timer, Timer} -> receive after 1000 -> erlang:cancel_timer(Timer, [{async, true}, {info, false}]) end;
        tick -> ok
    end,
    cancels().

name(Pid) -> list_to_binary(pid_to_list(Pid)).

sleeper() -> {ok, asleep(600)}.

asleep(_) -> erlang:nif_error(not_loaded).
