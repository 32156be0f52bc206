%% The best price for a basket. Hot spot: plain Erlang recursion, no C code.
-module(demo_pricing).
-behaviour(gen_server).

-export([start_link/0, quote/1]).
-export([init/1, handle_call/3, handle_cast/2]).

-type voucher() :: {percent, 1..99} | {minus, pos_integer()}.

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

%% What the basket costs, in cents, with the vouchers spent as well as can be.
-spec quote([demo_catalog:product()]) -> non_neg_integer().
quote(Basket) ->
    gen_server:call(?MODULE, {quote, [Cents || #{cents := Cents} <- Basket]}).

-spec init([]) -> {ok, [voucher()]}.
init([]) ->
    {ok, [{percent, 5}, {minus, 250}, {percent, 3}, {minus, 120}, {percent, 10},
          {minus, 99}, {percent, 2}, {minus, 400}, {percent, 7}, {minus, 60},
          {percent, 4}, {minus, 75}, {percent, 6}, {minus, 300}, {percent, 1}]}.

handle_call({quote, Prices}, _From, Vouchers) ->
    {reply, best_price(lists:sum(Prices), Vouchers), Vouchers}.

handle_cast(_Message, Vouchers) ->
    {noreply, Vouchers}.

%% Tries every subset: twice the work for each voucher more.
best_price(Cents, []) ->
    Cents;
best_price(Cents, [Voucher | Rest]) ->
    Kept = best_price(Cents, Rest),
    Spent = best_price(redeem(Cents, Voucher), Rest),
    cheaper(Kept, Spent).

redeem(Cents, {percent, Percent}) ->
    Cents - Cents * Percent div 100;
redeem(Cents, {minus, Off}) when Cents > Off ->
    Cents - Off;
redeem(_Cents, {minus, _Off}) ->
    0.

cheaper(A, B) when A =< B -> A;
cheaper(_A, B) -> B.
