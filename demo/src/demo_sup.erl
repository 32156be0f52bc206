%% Services first, customers last: a customer needs every service.
-module(demo_sup).
-behaviour(supervisor).

-export([start_link/0, init/1]).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    supervisor:start_link({local, ?MODULE}, ?MODULE, []).

-spec init([]) -> {ok, {supervisor:sup_flags(), [supervisor:child_spec()]}}.
init([]) ->
    Services = [service(Module) || Module <- [demo_catalog, demo_pricing, demo_stock,
                                              demo_sessions, demo_invoices, demo_ledger,
                                              demo_reports]],
    Warehouses = [named(demo_warehouse, Name) || Name <- demo_orders:warehouses()],
    Customers = [named(demo_customer, Name) || Name <- demo_customer:names()],
    Flags = #{strategy => rest_for_one, intensity => 5, period => 10},
    {ok, {Flags, Services ++ Warehouses ++ Customers}}.

service(Module) ->
    #{id => Module, start => {Module, start_link, []}}.

named(Module, Name) ->
    #{id => Name, start => {Module, start_link, [Name]}}.
