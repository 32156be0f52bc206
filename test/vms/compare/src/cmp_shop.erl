%% A program of which the share of each function is known, percent: what changes in it from one commit
%% to the next is planted by compare.mjs.
-module(cmp_shop).
-export([main/0, forever/1]).

-define(STEP(X), (((X) * 1103515 + 12345) band 16#3ffffff)).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).

main() ->
    ok = cmp_nif:load(filename:dirname(code:which(?MODULE))),
    spawn_link(fun() -> forever(0) end),
    gt_control:serve(fun() -> #{} end).

forever(Sum) ->
    A = tenth(3000, Sum),
    B = twice(1900, A),
    C = renamed(1000, B),
    D = moved(1000, C),
    E = closures(lists:seq(1, 800)),
    F = cmp_nif:work(4),
    G = steady(1000, D),
    ?MODULE:forever((E + F + G) band 16#ffff).

tenth(0, X) -> X;
tenth(Count, X) -> tenth(Count - 1, ?EIGHT(X bxor 1)).

twice(0, X) -> X;
twice(Count, X) -> twice(Count - 1, ?EIGHT(X bxor 2)).

renamed(0, X) -> X;
renamed(Count, X) ->
    Next = ?EIGHT(X bxor 4),
    renamed(Count - 1, Next).

moved(0, X) -> X;
moved(Count, X) ->
    Odd = X bxor 8,
    Later = ?EIGHT(Odd),
    moved(Count - 1, Later).

closures(Numbers) ->
    Sum = lists:foldl(fun(Number, Sum) -> ?EIGHT(Number + Sum) end, 0, Numbers),
    Product = lists:foldl(fun(Number, Product) -> ?EIGHT(Number * 3 + Product) end, 1, Numbers),
    Sum + Product.

steady(0, X) -> X;
steady(Count, X) -> steady(Count - 1, ?EIGHT(X bxor 16)).
