%% As many processes as it is told that always want to run. Each is on a scheduler or waits for one.
-module(gt_queue).
-export([main/0, spin/1]).

main() ->
    [Wanted] = gt_control:arguments(),
    %% Low, so that who reports need not wait for all of them.
    [spawn_opt(?MODULE, spin, [0], [{priority, low}]) || _ <- lists:seq(1, list_to_integer(Wanted))],
    gt_control:serve(fun() -> #{waiting => erlang:statistics(total_run_queue_lengths_all)} end).

spin(X) -> spin((X * 1103515 + 12345) band 16#3ffffff).
