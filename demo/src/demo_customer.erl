%% A customer who never leaves: searches, fills a basket, buys, and comes back.
%% Eight of them keep two schedulers busy, and hardly more on a bigger machine,
%% because they queue for the same services.
-module(demo_customer).

-export([names/0, start_link/1, init/2]).

-define(PAUSE_MS, application:get_env(demo, pause_ms, 1)).
-define(VISITS_PER_REPORT, 3).

-spec names() -> [atom()].
names() ->
    [demo_customer_1, demo_customer_2, demo_customer_3, demo_customer_4,
     demo_customer_5, demo_customer_6, demo_customer_7, demo_customer_8].

-spec start_link(atom()) -> {ok, pid()}.
start_link(Name) ->
    proc_lib:start_link(?MODULE, init, [Name, self()]).

-spec init(atom(), pid()) -> no_return().
init(Name, Parent) ->
    true = register(Name, self()),
    proc_lib:init_ack(Parent, {ok, self()}),
    shop(Name, 1).

-spec shop(atom(), pos_integer()) -> no_return().
shop(Name, Visit) ->
    visit(Name, Visit),
    maybe_ask_for_report(Visit),
    timer:sleep(?PAUSE_MS),
    shop(Name, Visit + 1).

visit(Name, Visit) ->
    Session = demo_sessions:resume(Name),
    Hits = demo_catalog:search(Visit),
    Basket = demo_stock:reserve([Sku || {_Score, Sku} <- Hits]),
    Cents = demo_pricing:quote(Basket),
    Order = demo_orders:place(Name, Visit, Basket, Cents),
    Invoice = demo_invoices:render(Order),
    demo_ledger:post(Order, byte_size(Invoice)),
    demo_sessions:save(Name, Session, Order).

maybe_ask_for_report(Visit) when Visit rem ?VISITS_PER_REPORT =:= 0 ->
    _ = demo_reports:sales_by_region(),
    ok;
maybe_ask_for_report(_Visit) ->
    ok.
