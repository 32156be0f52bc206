%% A process that works through ports of its own, so that it runs the code of their drivers itself; and a port that
%% works by itself, which gt_driver_owner owns.
-module(gt_driver).
-export([main/0]).

main() ->
    Folder = filename:dirname(code:which(?MODULE)),
    ok = erl_ddll:load_driver(Folder, "gt_driver"),
    case gt_control:arguments() of
        ["sleeps"] ->
            %% Each on a scheduler of its own, which has its timers. Once they sleep, the VM loads no code any more: that
            %% takes all schedulers. What waits for a scheduler that sleeps may be the process that prints.
            Caller = on_scheduler(1, fun() -> Port = port(), go_after(300), sleeper(Port) end),
            Owner = on_scheduler(2, fun() -> go_after(1), owner(3) end),
            gt_control:serve(
                fun() -> #{caller => pid(Caller), owner => pid(Owner)} end,
                fun() -> [Pid ! go || Pid <- [Caller, Owner]] end
            );
        _ ->
            Caller = spawn(fun() -> {ok, Socket} = gen_udp:open(0), caller(port(), Socket) end),
            Owner = spawn(fun() -> owner(2) end),
            gt_control:serve(fun() -> #{caller => pid(Caller), owner => pid(Owner)} end)
    end.

on_scheduler(Number, Run) -> spawn_opt(Run, [{scheduler, Number}]).
go_after(Milliseconds) -> receive go -> receive after Milliseconds -> ok end end.

port() -> open_port({spawn_driver, "gt_driver"}, []).
pid(Pid) -> list_to_binary(pid_to_list(Pid)).

caller(Port, Socket) ->
    commands(Port),
    controls(Port),
    options(Socket, 100),
    timer:sleep(5),
    caller(Port, Socket).

commands(Port) -> true = port_command(Port, <<"work">>), ok.
controls(Port) -> [] = port_control(Port, 0, <<>>), ok.
options(_, 0) -> ok;
options(Socket, Count) ->
    {ok, _} = inet:getopts(Socket, [recbuf, sndbuf, active, mode, header, priority, tos]),
    options(Socket, Count - 1).

owner(Operation) ->
    register(gt_driver_owner, self()),
    [] = port_control(port(), Operation, <<>>),
    receive stop -> ok end.

sleeper(Port) -> [] = port_control(Port, 1, <<>>), ok.
