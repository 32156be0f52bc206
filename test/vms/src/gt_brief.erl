%% Processes that live some 100 microseconds. What one does follows from its own pid, so that a
%% sample which names another process, or shows another process's stack, gives itself away: an
%% even pid lives an even life, an odd pid an odd one of half the length.
-module(gt_brief).
-export([main/0, spawner/2, child/2]).

%% An odd number: the first of a batch is even as often as odd, so that nothing that depends on the
%% place in a batch prefers either.
-define(AT_ONCE, 51).

main() ->
    Timeline = gt_timeline:new(2),
    Steps = gt_parity:calibrate(100_000),
    spawn_link(?MODULE, spawner, [Timeline, Steps]),
    gt_control:serve(fun() -> #{timeline => gt_timeline:report(Timeline, gt_parity:names())} end).

spawner(Timeline, Steps) ->
    Monitors = [spawn_monitor(?MODULE, child, [Timeline, Steps]) || _ <- lists:seq(1, ?AT_ONCE)],
    [receive {'DOWN', Reference, process, _, _} -> ok end || {_, Reference} <- Monitors],
    gt_timeline:work(Timeline, ?AT_ONCE),
    spawner(Timeline, Steps).

child(Timeline, Steps) ->
    gt_parity:live(Timeline, Steps),
    ok.
