%% Places orders. Hot spot: whole orders are copied from process to process.
-module(demo_orders).

-export([place/4, warehouses/0]).

-type order() :: #{id := {atom(), pos_integer()}, cents := non_neg_integer(),
                   lines := [demo_catalog:product()],
                   parcels => [{atom(), non_neg_integer()}]}.
-export_type([order/0]).

-define(ROUNDS, 5).

-spec warehouses() -> [atom()].
warehouses() ->
    [demo_warehouse_north, demo_warehouse_south].

%% Asks each warehouse in turn until the parcels are settled; every question
%% and every answer carries the order.
-spec place(atom(), pos_integer(), [demo_catalog:product()], non_neg_integer()) -> order().
place(Customer, Number, Basket, Cents) ->
    Order = #{id => {Customer, Number}, cents => Cents, lines => Basket, parcels => []},
    negotiate(Order, ?ROUNDS).

negotiate(Order, 0) ->
    Order;
negotiate(Order, Rounds) ->
    Offered = lists:foldl(fun demo_warehouse:offer/2, Order, warehouses()),
    negotiate(Offered, Rounds - 1).
