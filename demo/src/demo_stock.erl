%% Stock on hand. Hot spot: ETS copies whole products in and out.
-module(demo_stock).
-behaviour(gen_server).

-export([start_link/0, reserve/1]).
-export([init/1, handle_call/3, handle_cast/2]).

-define(TABLE, demo_stock_products).
-define(PASSES, 10).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

%% Takes one of each off the shelf. The caller reads and writes the table itself.
-spec reserve([demo_catalog:sku()]) -> [demo_catalog:product()].
reserve(Skus) ->
    _ = [check_availability(Skus) || _ <- lists:seq(1, ?PASSES)],
    [take(Sku) || Sku <- Skus].

-spec init([]) -> {ok, ets:table()}.
init([]) ->
    Table = ets:new(?TABLE, [named_table, public, {read_concurrency, true}]),
    true = ets:insert(Table, [{Sku, demo_catalog:product(Sku)} || Sku <- demo_catalog:skus()]),
    {ok, Table}.

handle_call(_Request, _From, Table) ->
    {reply, {error, unknown_request}, Table}.

handle_cast(_Message, Table) ->
    {noreply, Table}.

check_availability(Skus) ->
    [Sku || Sku <- Skus, on_hand(fetch(Sku)) > 0].

on_hand(#{sizes := Sizes}) ->
    lists:sum([Count || {_Size, Count} <- Sizes]).

take(Sku) ->
    #{sizes := Sizes} = Product = fetch(Sku),
    Taken = Product#{sizes := [{Size, restock(Count - 1)} || {Size, Count} <- Sizes]},
    true = ets:insert(?TABLE, {Sku, Taken}),
    Taken.

restock(Count) when Count < 1 -> 50;
restock(Count) -> Count.

fetch(Sku) ->
    [{Sku, Product}] = ets:lookup(?TABLE, Sku),
    Product.
