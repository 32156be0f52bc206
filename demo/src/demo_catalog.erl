%% Product search. Hot spot: sorting lists (lists:sort/1 and lists:sort/2).
-module(demo_catalog).
-behaviour(gen_server).

-export([start_link/0, search/1, skus/0, product/1]).
-export([init/1, handle_call/3, handle_cast/2]).

-define(PRODUCTS, 2000).
-define(BASKET_SIZE, 24).

-type sku() :: pos_integer().
-type product() :: #{sku := sku(), name := binary(), cents := pos_integer(),
                     tags := [atom()], sizes := [{atom(), non_neg_integer()}],
                     texts := [{atom(), string()}]}.
-export_type([sku/0, product/0]).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

%% The best-ranked products for a query, best first.
-spec search(non_neg_integer()) -> [{Score :: integer(), sku()}].
search(Query) ->
    gen_server:call(?MODULE, {search, Query}).

-spec skus() -> [sku()].
skus() ->
    lists:seq(1, ?PRODUCTS).

-spec product(sku()) -> product().
product(Sku) ->
    #{sku => Sku,
      name => <<"Product ", (integer_to_binary(Sku))/binary>>,
      cents => 199 + (Sku * 7919) rem 20000,
      tags => [new, sale, organic, local],
      sizes => [{Size, (Sku * N) rem 50} || {Size, N} <- [{s, 3}, {m, 5}, {l, 7}, {xl, 11}]],
      texts => [{Language, lists:flatten(io_lib:format("~p ~p of the season", [Language, Sku]))}
                || Language <- [de, en, fr, pl, sv]]}.

-spec init([]) -> {ok, [sku()]}.
init([]) ->
    {ok, skus()}.

handle_call({search, Query}, _From, Skus) ->
    {reply, lists:sublist(rank(Query, Skus), ?BASKET_SIZE), Skus}.

handle_cast(_Message, Skus) ->
    {noreply, Skus}.

%% Equal scores are common, so the second pass puts the cheaper product first.
rank(Query, Skus) ->
    Scored = lists:sort([{score(Query, Sku), Sku} || Sku <- Skus]),
    lists:sort(fun better/2, Scored).

score(Query, Sku) ->
    (Query * 31 + Sku * 2654435761) rem 997.

better({Score, SkuA}, {Score, SkuB}) ->
    (SkuA * 7919) rem 20000 =< (SkuB * 7919) rem 20000;
better({ScoreA, _}, {ScoreB, _}) ->
    ScoreA >= ScoreB.
