%% Processes of which it is known how they spend their time: some always want to run, more than there are schedulers; some always
%% wait; one does both in turn. Those that want to run have no name of their own and were started by proc_lib.
-module(gt_spent).
-export([main/0, spinner/0, waiter/0, both/0, spin/1, wait/0]).

main() ->
    [Waiting, Spinning] = [list_to_integer(Word) || Word <- gt_control:arguments()],
    Parent = self(),
    Waiters = [proc_lib:spawn(?MODULE, waiter, []) || _ <- lists:seq(1, Waiting)],
    Spinners = [proc_lib:spawn_opt(?MODULE, spinner, [], [{priority, low}]) || _ <- lists:seq(1, Spinning)],
    register(spent_both, spawn(fun() -> both() end)),
    gt_control:serve(fun() ->
        #{waiters => [name(Pid) || Pid <- Waiters], spinners => [name(Pid) || Pid <- Spinners], parent => name(Parent)}
    end).

waiter() ->
    put('$process_label', spent_waiter),
    wait().

wait() -> receive never -> ok end.

spinner() -> spin(0).

spin(X) -> spin((X * 1103515 + 12345) band 16#3ffffff).

both() ->
    work(1_000_000),
    pause(),
    both().

pause() -> receive never -> ok after 20 -> ok end.

work(0) -> ok;
work(Left) -> work(Left - 1).

name(Pid) -> list_to_binary(pid_to_list(Pid)).
