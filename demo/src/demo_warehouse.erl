%% A warehouse that packs parcels; it gets the whole order and sends it back.
-module(demo_warehouse).
-behaviour(gen_server).

-export([start_link/1, offer/2]).
-export([init/1, handle_call/3, handle_cast/2]).

-spec start_link(atom()) -> {ok, pid()} | {error, term()}.
start_link(Name) ->
    gen_server:start_link({local, Name}, ?MODULE, Name, []).

-spec offer(atom(), demo_orders:order()) -> demo_orders:order().
offer(Warehouse, Order) ->
    gen_server:call(Warehouse, {offer, Order}).

-spec init(atom()) -> {ok, atom()}.
init(Name) ->
    {ok, Name}.

handle_call({offer, Order}, _From, Name) ->
    #{lines := Lines, parcels := Parcels} = Order,
    Parcel = {Name, length(Lines)},
    {reply, Order#{parcels := lists:keystore(Name, 1, Parcels, Parcel)}, Name}.

handle_cast(_Message, Name) ->
    {noreply, Name}.
