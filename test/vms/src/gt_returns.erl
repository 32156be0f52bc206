%% Calls that are traced with return_trace, so that the VM's own return addresses are among the frames, beside calls that
%% are not: one below the other, side by side, and none.
-module(gt_returns).
-export([main/0, traced/1, nested/1, plain/1, seen/2, deep/3, unseen/2]).

main() ->
    Slices = gt_slices:start(?MODULE, [{traced, 5_000, 1}, {nested, 3_000, 1}, {plain, 2_000, 1}]),
    Sink = spawn_link(fun Drop() -> receive _ -> Drop() end end),
    [1 = erlang:trace_pattern(Function, [{'_', [], [{return_trace}]}], [local])
     || Function <- [{?MODULE, seen, 2}, {?MODULE, deep, 3}]],
    erlang:trace(processes, true, [call, {tracer, Sink}]),
    gt_control:serve(fun() -> gt_slices:truth(Slices) end).

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(FOUR(X), ?STEP(?STEP(?STEP(?STEP(X))))).
-define(MANY(X), ?FOUR(?FOUR(?FOUR(?FOUR(X))))).

%% A thousand steps a call: its two messages are a part of it, not most of it.
traced(Count) -> traced(Count, 1).
traced(0, X) -> X;
traced(Count, X) ->
    Y = seen(1_000, X),
    traced(Count - 1, Y).

nested(Count) -> nested(Count, 1).
nested(0, X) -> X;
nested(Count, X) ->
    Y = deep(5, 400, X),
    nested(Count - 1, Y).

plain(Count) -> plain(Count, 1).
plain(0, X) -> X;
plain(Count, X) ->
    Y = unseen(1_000, X),
    plain(Count - 1, Y).

%% Each is traced and no tail call: a call of its own that is one would leave another frame of the VM's.
seen(Steps, X) ->
    Y = unseen(Steps, X),
    Y + 1.

deep(0, Steps, X) ->
    Y = unseen(Steps, X),
    Y + 1;
deep(Depth, Steps, X) ->
    Y = deep(Depth - 1, Steps, X),
    unseen(Steps, Y) + 1.

unseen(0, X) -> X;
unseen(Steps, X) -> unseen(Steps - 1, ?MANY(X)).
