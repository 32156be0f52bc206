%% The load of the price of a switch: one process waits in a NIF some thousand times a second, another one works all the
%% time on the same processor. Its work lacks what each switch of the first one's thread takes.
-module(bench_switches).
-export([main/0, napper/1, worker/2]).

-define(MICROSECONDS, 100).

main() ->
    ok = gt_known_naps:load(),
    Done = counters:new(2, [atomics]),
    spawn_link(?MODULE, napper, [Done]),
    spawn_link(?MODULE, worker, [Done, 0]),
    gt_control:serve(fun() ->
        #{
            naps => counters:get(Done, 1),
            units => counters:get(Done, 2),
            us => erlang:monotonic_time(microsecond)
        }
    end).

napper(Done) ->
    gt_known_naps:nap(?MICROSECONDS),
    counters:add(Done, 1, 1),
    napper(Done).

worker(Done, Sum) ->
    Next = lists:foldl(fun(Number, Before) -> (Before * 31 + Number) band 16#ffffff end, Sum, lists:seq(1, 100)),
    counters:add(Done, 2, 1),
    worker(Done, Next).
