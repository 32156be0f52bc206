%% Many Erlang functions with shares from a tenth of a percent to a tenth, none of which needs C:
%% loops, recursion, a closure under lists:foldl/3, functions that call each other. Slices are
%% shorter than the time between two samples and in an order that changes, so that samples do not depend
%% on each other.
-module(gt_functions).
-export([main/0]).
-export([a1/1, a2/1, a3/1, a4/1, a5/1, a6/1, a7/1, a8/1, a9/1, a10/1, a11/1, a12/1, a13/1, a14/1, a15/1, a16/1]).
-export([tree/1, fold/1, mutual/1, chain/1, search/1]).

main() ->
    Loops = [{list_to_atom("a" ++ integer_to_list(I)), 30 + 25 * I, 1} || I <- lists:seq(1, 16)],
    Others = [{tree, 400, 1}, {fold, 400, 1}, {mutual, 300, 1}, {chain, 300, 1}, {search, 300, 1}],
    Slices = gt_slices:start(?MODULE, Loops ++ Others, #{order => shuffled}),
    gt_control:serve(fun() -> #{total_ns => gt_slices:shares(Slices)} end).

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(FOUR(X), ?STEP(?STEP(?STEP(?STEP(X))))).
%% The same work under sixteen names, each at an address of its own.
a1(Count) -> a1(Count, Count).
a1(0, X) -> X;
a1(Count, X) -> a1(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a2(Count) -> a2(Count, Count).
a2(0, X) -> X;
a2(Count, X) -> a2(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a3(Count) -> a3(Count, Count).
a3(0, X) -> X;
a3(Count, X) -> a3(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a4(Count) -> a4(Count, Count).
a4(0, X) -> X;
a4(Count, X) -> a4(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a5(Count) -> a5(Count, Count).
a5(0, X) -> X;
a5(Count, X) -> a5(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a6(Count) -> a6(Count, Count).
a6(0, X) -> X;
a6(Count, X) -> a6(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a7(Count) -> a7(Count, Count).
a7(0, X) -> X;
a7(Count, X) -> a7(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a8(Count) -> a8(Count, Count).
a8(0, X) -> X;
a8(Count, X) -> a8(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a9(Count) -> a9(Count, Count).
a9(0, X) -> X;
a9(Count, X) -> a9(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a10(Count) -> a10(Count, Count).
a10(0, X) -> X;
a10(Count, X) -> a10(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a11(Count) -> a11(Count, Count).
a11(0, X) -> X;
a11(Count, X) -> a11(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a12(Count) -> a12(Count, Count).
a12(0, X) -> X;
a12(Count, X) -> a12(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a13(Count) -> a13(Count, Count).
a13(0, X) -> X;
a13(Count, X) -> a13(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a14(Count) -> a14(Count, Count).
a14(0, X) -> X;
a14(Count, X) -> a14(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a15(Count) -> a15(Count, Count).
a15(0, X) -> X;
a15(Count, X) -> a15(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

a16(Count) -> a16(Count, Count).
a16(0, X) -> X;
a16(Count, X) -> a16(Count - 1, ?FOUR(?FOUR(?FOUR(X)))).

%% Recursion that is no loop: the stack is as deep as the tree.
tree(0) -> 0;
tree(Count) -> tree(Count - 1, branch(6, Count)).
tree(Count, X) when X >= 0 -> tree(Count).

branch(0, X) -> ?FOUR(X);
branch(Depth, X) -> branch(Depth - 1, X) + branch(Depth - 1, X + 1).

fold(0) -> 0;
fold(Count) -> fold(Count - 1, lists:foldl(fun(I, X) -> ?FOUR(?FOUR(X + I)) end, Count, [1, 2, 3, 4, 5, 6, 7, 8])).
fold(Count, X) when X >= 0 -> fold(Count).

mutual(0) -> 0;
mutual(Count) -> mutual(Count - 1, even(40, Count)).
mutual(Count, X) when X >= 0 -> mutual(Count).

even(0, X) -> X;
even(N, X) -> Y = odd(N - 1, ?FOUR(X)), (Y + N) band 16#3ffffff.

odd(0, X) -> X;
odd(N, X) -> Y = even(N - 1, ?FOUR(?FOUR(X))), (Y - N) band 16#3ffffff.

%% Each calls the next and works on when that returns.
chain(0) -> 0;
chain(Count) -> chain(Count - 1, first(Count)).
chain(Count, X) when X >= 0 -> chain(Count).

first(X) -> Y = second(?FOUR(X)), ?FOUR(Y).
second(X) -> Y = third(?FOUR(?FOUR(X))), ?FOUR(Y).
third(X) -> Y = fourth(?FOUR(?FOUR(X))), ?FOUR(?FOUR(Y)).
fourth(X) -> ?FOUR(?FOUR(?FOUR(X))).

search(0) -> 0;
search(Count) -> search(Count - 1, find(Count band 31, pairs())).
search(Count, _Found) -> search(Count).

find(Key, [{Key, Value} | _]) -> Value;
find(Key, [_ | Rest]) -> find(Key, Rest);
find(_, []) -> none.

pairs() -> [{1,1},{2,2},{3,3},{4,4},{5,5},{6,6},{7,7},{8,8},{9,9},{10,10},{11,11},{12,12},{13,13},{14,14},{15,15},{16,16}].
