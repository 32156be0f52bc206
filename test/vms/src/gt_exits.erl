%% Processes that live for some hundred microseconds and then end with a large heap and a table, one at a time. The end of
%% one is from its last instruction to when the process that waits for it runs again: all of it on one scheduler, whose
%% processor time is the truth. Until it first makes way for others, the end is shown at the code that a process returns
%% to, then as [exiting]: below it is no function of this module, but the first one of the process where that is known.
-module(gt_exits).
-export([main/0, creator/2, mortal/3, live/2]).

main() ->
    ok = gt_cpu:load(),
    Timeline = gt_timeline:new(2),
    spawn_opt(?MODULE, creator, [Timeline, 3_000], [link, {scheduler, 1}]),
    Names = [<<"gt_exits:live/2">>, <<"ends of processes">>],
    gt_control:serve(fun() -> #{timeline => gt_timeline:report(Timeline, Names)} end).

creator(Timeline, Steps) ->
    %% Its end must not come in step with the clock that samples it.
    Objects = 2_000 + rand:uniform(4_000),
    Options = [monitor, {scheduler, 1}, {min_heap_size, 500_000}],
    {_, Monitor} = spawn_opt(?MODULE, mortal, [self(), Steps * rand:uniform(3), Objects], Options),
    receive {ran, Ran, Ended} -> gt_timeline:add(Timeline, 1, Ran) end,
    receive {'DOWN', Monitor, process, _, _} -> gt_timeline:add(Timeline, 2, gt_cpu:took(thread, Ended)) end,
    gt_timeline:work(Timeline, 1),
    creator(Timeline, Steps).

mortal(Creator, Steps, Objects) ->
    Table = ets:new(gt_exits, []),
    true = ets:insert(Table, [{Key, Key} || Key <- lists:seq(1, Objects)]),
    Start = gt_cpu:start(thread),
    live(Steps, 1),
    Ran = gt_cpu:took(thread, Start),
    Creator ! {ran, Ran, gt_cpu:start(thread)}.

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(FOUR(X), ?STEP(?STEP(?STEP(?STEP(X))))).

live(0, X) -> X;
live(Count, X) -> live(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).
