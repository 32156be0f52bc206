%% Functions with about 6 % of the time each, which `on` makes slower by the percentages in their names;
%% `ballast` takes as much less, so that the shares of all others stay. The code is the same: only
%% how often each loop goes round differs.
-module(cmp_power).
-export([main/0, forever/2]).

-define(STEP(X), (((X) * 1103515 + 12345) band 16#3ffffff)).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).
-define(ROUNDS, 1000).
-define(SUM_OF_PERCENT, 92).

main() ->
    How = case gt_control:arguments() of
              ["on" | _] -> on;
              _ -> off
          end,
    spawn_link(?MODULE, forever, [How, 0]),
    gt_control:serve(fun() -> #{} end).

forever(How, X0) ->
    X1 = slower_2(more(2, How), X0),
    X2 = slower_3(more(3, How), X1),
    X3 = slower_5(more(5, How), X2),
    X4 = slower_7(more(7, How), X3),
    X5 = slower_10(more(10, How), X4),
    X6 = slower_15(more(15, How), X5),
    X7 = slower_20(more(20, How), X6),
    X8 = slower_30(more(30, How), X7),
    Last = ballast(9 * ?ROUNDS - (more(?SUM_OF_PERCENT, How) - ?ROUNDS), X8),
    ?MODULE:forever(How, Last).

more(Percent, on) -> ?ROUNDS + Percent * ?ROUNDS div 100;
more(_Percent, off) -> ?ROUNDS.

slower_2(0, X) -> X;
slower_2(Count, X) -> slower_2(Count - 1, ?EIGHT(X bxor 1)).

slower_3(0, X) -> X;
slower_3(Count, X) -> slower_3(Count - 1, ?EIGHT(X bxor 2)).

slower_5(0, X) -> X;
slower_5(Count, X) -> slower_5(Count - 1, ?EIGHT(X bxor 3)).

slower_7(0, X) -> X;
slower_7(Count, X) -> slower_7(Count - 1, ?EIGHT(X bxor 4)).

slower_10(0, X) -> X;
slower_10(Count, X) -> slower_10(Count - 1, ?EIGHT(X bxor 5)).

slower_15(0, X) -> X;
slower_15(Count, X) -> slower_15(Count - 1, ?EIGHT(X bxor 6)).

slower_20(0, X) -> X;
slower_20(Count, X) -> slower_20(Count - 1, ?EIGHT(X bxor 7)).

slower_30(0, X) -> X;
slower_30(Count, X) -> slower_30(Count - 1, ?EIGHT(X bxor 8)).

ballast(0, X) -> X;
ballast(Count, X) -> ballast(Count - 1, ?EIGHT(X bxor 64)).
