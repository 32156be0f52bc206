%% Tail calls: a function that was left by one is not on the stack any more, and showing it
%% there would be wrong. Three functions of two modules tail-call each other, one of them also
%% makes an ordinary call.
-module(gt_tail).
-export([main/0, forever/1, ping/2]).

main() ->
    Timeline = gt_timeline:new(0),
    spawn_link(?MODULE, forever, [Timeline]),
    gt_control:serve(fun() -> #{timeline => gt_timeline:report(Timeline, [])} end).

forever(Timeline) ->
    outer(20, 1),
    gt_timeline:work(Timeline, 1),
    forever(Timeline).

%% Recursion below, 20 frames, so that the stack is not just one frame.
outer(0, X) -> X;
outer(Count, X) ->
    Y = ping(300, X),
    Z = outer(Count - 1, Y),
    Z + 1.

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).

ping(0, X) -> X;
ping(Count, X) -> pong(Count, ?EIGHT(X)).

pong(Count, X) ->
    Y = spin(5, X),
    gt_tail_far:pang(Count, Y bxor 1).

spin(0, X) -> X;
spin(Count, X) -> spin(Count - 1, ?EIGHT(X)).
