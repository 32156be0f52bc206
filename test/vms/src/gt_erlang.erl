%% Pure Erlang work, no built-in function and no garbage: half of the time in arithmetic,
%% three tenths in taking lists apart, two tenths in taking a binary apart. All of the time, or
%% with the argument "resting" a fifth of it: for tests that need a VM that works for long, not much.
-module(gt_erlang).
-export([main/0, half/1, three_tenths/1, two_tenths/1, rest/0]).

main() ->
    Options = case gt_control:arguments() of
        ["resting"] -> #{after_each => rest};
        [] -> #{}
    end,
    Slices = gt_slices:start(?MODULE, [{half, 10_000, 1}, {three_tenths, 6_000, 1}, {two_tenths, 4_000, 1}], Options),
    gt_control:serve(fun() -> gt_slices:truth(Slices) end).

rest() -> timer:sleep(27).

%% Many steps per call: a call is one reduction, and every 4,000 of them the scheduler takes
%% over, which would otherwise be a visible share of the time.
-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(FOUR(X), ?STEP(?STEP(?STEP(?STEP(X))))).

half(Count) -> half(Count, 1).

half(0, X) -> X;
half(Count, X0) ->
    X1 = ?FOUR(X0), X2 = ?FOUR(X1), X3 = ?FOUR(X2), X4 = ?FOUR(X3), X5 = ?FOUR(X4),
    X6 = ?FOUR(X5), X7 = ?FOUR(X6), X8 = ?FOUR(X7), X9 = ?FOUR(X8), X10 = ?FOUR(X9),
    half(Count - 1, X10).

three_tenths(Count) ->
    All = lists:seq(1, 3200),
    three_tenths(Count, All, All, 0).

three_tenths(0, _, _, Sum) -> Sum;
three_tenths(Count, [A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P | Rest], All, Sum) ->
    Part = A + B + C + D + E + F + G + H + I + J + K + L + M + N + O + P,
    three_tenths(Count - 1, Rest, All, (Sum + Part) band 16#ffffff);
three_tenths(Count, [], All, Sum) -> three_tenths(Count, All, All, Sum).

two_tenths(Count) -> two_tenths(Count, bytes(), 0).

two_tenths(0, _, Sum) -> Sum;
two_tenths(Count, <<A:32, B:32, C:32, D:32, E:32, F:32, G:32, H:32, _/binary>> = Bytes, Sum) ->
    two_tenths(Count - 1, Bytes, (Sum + A + B * 2 + C * 3 + D + E * 5 + F + G * 7 + H) band 16#ffffff).

bytes() -> <<<<N:8>> || N <- lists:seq(1, 64)>>.
