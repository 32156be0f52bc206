%% One function that is slowed down by a factor (first argument: 1, 2, 4) beside two that
%% stay as they are: its share must be Factor / (Factor + 2).
-module(gt_ladder).
-export([main/0, ladder/1, steady_a/1, steady_b/1]).

main() ->
    Factor = gt_control:integer_argument(1, 1),
    Slices = gt_slices:start(?MODULE, [{ladder, 3_000, Factor}, {steady_a, 3_000, 1}, {steady_b, 3_000, 1}]),
    gt_control:serve(fun() -> (gt_slices:truth(Slices))#{factor => Factor} end).

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).

ladder(Count) -> ladder(Count, 1).
ladder(0, X) -> X;
ladder(Count, X) -> ladder(Count - 1, ?EIGHT(?EIGHT(?EIGHT(X)))).

steady_a(Count) -> steady_a(Count, 2).
steady_a(0, X) -> X;
steady_a(Count, X) -> steady_a(Count - 1, ?EIGHT(?EIGHT(?EIGHT(X)))).

steady_b(Count) -> steady_b(Count, 3).
steady_b(0, X) -> X;
steady_b(Count, X) -> steady_b(Count - 1, ?EIGHT(?EIGHT(?EIGHT(X)))).
