%% The day's bookings. Hot spot: a heap that grows and is collected again and again.
-module(demo_ledger).
-behaviour(gen_server).

-export([start_link/0, post/2]).
-export([init/1, handle_call/3, handle_cast/2]).

%% The day is closed, and its bookings dropped, when it has this many.
-define(DAY, 100000).
%% Meant to keep memory low; the price is that everything booked so far is
%% copied again on every few collections.
-define(FULLSWEEP_AFTER, 2).

-record(day, {bookings = [] :: [tuple()], count = 0 :: non_neg_integer()}).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    Options = [{spawn_opt, [{fullsweep_after, ?FULLSWEEP_AFTER}]}],
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], Options).

-spec post(demo_orders:order(), non_neg_integer()) -> non_neg_integer().
post(#{id := Id, lines := Lines}, InvoiceBytes) ->
    Amounts = [{Sku, Cents} || #{sku := Sku, cents := Cents} <- Lines],
    gen_server:call(?MODULE, {post, Id, Amounts, InvoiceBytes}).

-spec init([]) -> {ok, #day{}}.
init([]) ->
    {ok, #day{}}.

handle_call({post, Id, Amounts, InvoiceBytes}, _From, Day) ->
    Booked = lists:foldl(fun(Amount, D) -> book(Id, Amount, InvoiceBytes, D) end, Day, Amounts),
    {reply, Booked#day.count, close_when_full(Booked)}.

handle_cast(_Message, Day) ->
    {noreply, Day}.

book(Id, {Sku, Cents}, InvoiceBytes, #day{bookings = Bookings, count = Count} = Day) ->
    Net = Cents * 100 div 119,
    Entries = [{Count, Id, [{account, Account}, {sku, Sku}, {cents, Amount}], InvoiceBytes}
               || {Account, Amount} <- [{receivable, Cents}, {revenue, Net}, {tax, Cents - Net}]],
    Day#day{bookings = Entries ++ Bookings, count = Count + length(Entries)}.

close_when_full(#day{count = Count}) when Count >= ?DAY -> #day{};
close_when_full(Day) -> Day.
