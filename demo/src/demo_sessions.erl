%% Sessions are kept as bytes. Hot spot: term_to_binary/1 and binary_to_term/1.
-module(demo_sessions).
-behaviour(gen_server).

-export([start_link/0, resume/1, save/3]).
-export([init/1, handle_call/3, handle_cast/2]).

-define(TABLE, demo_sessions_saved).
-define(ORDERS_KEPT, 6).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

%% The customer's last orders, newest first.
-spec resume(atom()) -> [demo_orders:order()].
resume(Customer) ->
    case ets:lookup(?TABLE, Customer) of
        [{Customer, Bytes}] -> binary_to_term(Bytes);
        [] -> []
    end.

-spec save(atom(), [demo_orders:order()], demo_orders:order()) -> ok.
save(Customer, Orders, Order) ->
    Kept = lists:sublist([Order | Orders], ?ORDERS_KEPT),
    true = ets:insert(?TABLE, {Customer, term_to_binary(Kept)}),
    ok.

-spec init([]) -> {ok, ets:table()}.
init([]) ->
    {ok, ets:new(?TABLE, [named_table, public])}.

handle_call(_Request, _From, Table) ->
    {reply, {error, unknown_request}, Table}.

handle_cast(_Message, Table) ->
    {noreply, Table}.
