%% Programs below ports: of two owners, one with a process below it, one that has lost its port; and one that has ended.
%% A NIF starts another one, below no port. With the argument "busy" one that always works, as long as the VM is there.
-module(gt_children).
-export([main/0]).
-nifs([start/1]).

-define(BURN, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done").

main() -> main(gt_control:arguments()).

main([]) ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    BesidePorts = start(?BURN "; exec cat"),
    Executable = fun(Program) -> open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Program]}, binary]) end,
    Self = self(),
    spawn(fun() -> Self ! {port, open_port({spawn, "/bin/cat -"}, [binary])}, receive never -> ok end end),
    Of = receive {port, Port} -> Port end,
    %% The shell waits for its child.
    Ports = [Of, Executable("cat; true"), Executable(?BURN "; exec cat")],
    Lost = Executable("exec sleep 100000"),
    {os_pid, LostPid} = erlang:port_info(Lost, os_pid),
    port_close(Lost),
    os:cmd(?BURN),
    Told = [told(One) || One <- Ports],
    gt_control:serve(fun() -> #{programs => Told, lost => LostPid, beside_ports => BesidePorts} end);
main(["busy"]) ->
    %% The parent of the shell ends with the VM.
    Busy = "while kill -0 $PPID; do :; done",
    open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Busy]}, binary]),
    gt_control:serve(fun() -> #{} end).

start(_) -> erlang:nif_error(not_loaded).

told(Port) ->
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    {connected, Owner} = erlang:port_info(Port, connected),
    #{pid => Pid, port => list_to_binary(erlang:port_to_list(Port)), owner => list_to_binary(pid_to_list(Owner))}.
