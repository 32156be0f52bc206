%% A process that works below N frames of recursion (first argument): every sample of the
%% work has exactly N + 1 frames of descend/2 under it.
-module(gt_deep).
-export([main/0, process/2, bottom/2]).

main() ->
    Depth = gt_control:integer_argument(1, 1000),
    Timeline = gt_timeline:new(0),
    spawn_link(?MODULE, process, [Depth, Timeline]),
    gt_control:serve(fun() -> #{depth => Depth, work => <<"gt_deep:bottom/2">>,
                                timeline => gt_timeline:report(Timeline, [])} end).

process(Depth, Timeline) ->
    descend(Depth, 1),
    gt_timeline:work(Timeline, 1),
    process(Depth, Timeline).

descend(0, X) ->
    Result = bottom(200_000, X),
    Result + 1;
descend(Depth, X) ->
    Result = descend(Depth - 1, X),
    Result + 1.

bottom(0, X) -> X;
bottom(Count, X) -> bottom(Count - 1, (X * 1103515 + 12345) band 16#3ffffff).
