%% Erlang code whose hot lines are known: a comment above each says in which function it is. A
%% project is made of this folder by own.test.mjs.
-module(own_shop).
-export([main/0, tail/2]).

main() ->
    spawn_link(fun() -> forever(lists:seq(1, 400), 'Elixir.OwnMarket':stock()) end),
    gt_control:serve(fun() -> #{} end).

forever(Numbers, Stock) ->
    _ = all(Numbers),
    _ = 'Elixir.OwnMarket':all(Numbers, Stock),
    forever(Numbers, Stock).

all(Numbers) ->
    [tailing(10_000), folded(Numbers), listed(Numbers), sorted(Numbers), digested(Numbers), called(Numbers)].

-define(STEP(X), (((X) * 1103515 + 12345) band 16#3ffffff)).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).

%% Is not on the stack of what it calls.
tailing(Count) ->
    ?MODULE:tail(Count, 1).

tail(0, X) -> X;
tail(Count, X) ->
    %% hot: own_shop:tail/2
    tail(Count - 1, ?EIGHT(X)).

folded(Numbers) ->
    Sum = lists:foldl(
        fun(Number, Sum) ->
            %% hot: fun/2 in own_shop:folded/1
            ?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(Number + Sum)))))))
        end, 0, Numbers),
    Sum + 1.

listed(Numbers) ->
    Mixed = [
        %% hot: list comprehension in own_shop:listed/1
        ?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(Number)))))))
     || Number <- Numbers],
    hd(Mixed).

%% What a library does counts for the line that called it.
sorted(Numbers) ->
    Keys = [Number * 7919 rem 401 || Number <- Numbers],
    %% hot: own_shop:sorted/1
    Sorted = lists:reverse(lists:sort(lists:append([Keys, Numbers, Keys, Numbers]))),
    hd(Sorted).

%% So does what C code does.
digested(Numbers) ->
    Bytes = <<<<Number:16>> || Number <- Numbers>>,
    %% hot: own_shop:digested/1
    Digest = erlang:md5(binary:copy(Bytes, 100)),
    byte_size(Digest).

%% And what other own code does counts for that, not for whom it works.
called([]) -> 0;
called([Number | Numbers]) ->
    One = step(Number),
    One + called(Numbers).

step(Number) ->
    %% hot: own_shop:step/1
    ?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(Number))))))).
