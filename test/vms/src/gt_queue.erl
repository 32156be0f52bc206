%% As many processes as it is told that always want to run. Each is on a scheduler or waits for one.
%% With the argument "resting" all of them want to for a moment, five times a second.
-module(gt_queue).
-export([main/0, spin/1, now_and_then/1]).

main() ->
    [Wanted | How] = gt_control:arguments(),
    Function = case How of ["resting"] -> now_and_then; [] -> spin end,
    %% Low, so that who reports need not wait for all of them.
    [spawn_opt(?MODULE, Function, [0], [{priority, low}]) || _ <- lists:seq(1, list_to_integer(Wanted))],
    gt_control:serve(fun() -> #{waiting => erlang:statistics(total_run_queue_lengths_all)} end).

now_and_then(X) ->
    timer:sleep(200 - erlang:system_time(millisecond) rem 200),
    now_and_then(spin(X, 1_500_000)).

spin(X, 0) -> X;
spin(X, Count) -> spin((X * 1103515 + 12345) band 16#3ffffff, Count - 1).

spin(X) -> spin((X * 1103515 + 12345) band 16#3ffffff).
