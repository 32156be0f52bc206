%% A spawn storm: processes that live for some microseconds, thousands a second.
-module(gt_spawn).
-export([main/0, spawner/1, child/1]).

main() ->
    Spawned = counters:new(1, []),
    spawn_link(?MODULE, spawner, [Spawned]),
    Start = erlang:monotonic_time(millisecond),
    gt_control:serve(
      fun() ->
              Millis = max(1, erlang:monotonic_time(millisecond) - Start),
              Count = counters:get(Spawned, 1),
              #{spawned => Count, per_second => Count * 1000 div Millis}
      end).

spawner(Spawned) ->
    Pids = [spawn_monitor(?MODULE, child, [Number]) || Number <- lists:seq(1, 100)],
    [receive {'DOWN', Ref, process, _, _} -> ok end || {_, Ref} <- Pids],
    counters:add(Spawned, 1, 100),
    spawner(Spawned).

child(Number) ->
    work(200, Number).

work(0, X) -> X;
work(Count, X) -> work(Count - 1, (X * 1103515 + 12345) band 16#3ffffff).
