%% Work on the dirty schedulers with nothing but what the VM brings: collections of a heap
%% so large that the VM moves them there.
-module(gt_dirty).
-export([main/0, process/1, collect/1]).

main() ->
    Rounds = counters:new(1, []),
    spawn_link(?MODULE, process, [Rounds]),
    gt_control:serve(fun() -> #{rounds => counters:get(Rounds, 1)} end).

process(Rounds) ->
    Held = lists:seq(1, 2_000_000),
    forever(Held, Rounds).

forever(Held, Rounds) ->
    collect(Held),
    counters:add(Rounds, 1, 1),
    forever(Held, Rounds).

collect(Held) ->
    true = erlang:garbage_collect(),
    hd(Held).
