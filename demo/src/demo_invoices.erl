%% Renders invoices. Hot spot: building binaries, by appending and from iolists.
-module(demo_invoices).
-behaviour(gen_server).

-export([start_link/0, render/1]).
-export([init/1, handle_call/3, handle_cast/2]).

-define(COPIES, 16).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

-spec render(demo_orders:order()) -> binary().
render(#{id := Id, cents := Cents, lines := Lines}) ->
    Rows = [{Name, Price} || #{name := Name, cents := Price} <- Lines],
    gen_server:call(?MODULE, {render, Id, Cents, Rows}).

-spec init([]) -> {ok, Rendered :: non_neg_integer()}.
init([]) ->
    {ok, 0}.

handle_call({render, Id, Cents, Rows}, _From, Rendered) ->
    Pages = [page(Id, Cents, Rows, Copy) || Copy <- lists:seq(1, ?COPIES)],
    {reply, iolist_to_binary(Pages), Rendered + 1}.

handle_cast(_Message, Rendered) ->
    {noreply, Rendered}.

page({Customer, Number}, Cents, Rows, Copy) ->
    Head = iolist_to_binary(["Invoice ", integer_to_binary(Number), " for ",
                             atom_to_binary(Customer), ", copy ", integer_to_binary(Copy), $\n]),
    Body = append_rows(Rows, 1, Head),
    <<Body/binary, "Total ", (money(Cents))/binary, "\n">>.

append_rows([], _Position, Page) ->
    Page;
append_rows([{Name, Cents} | Rows], Position, Page) ->
    Row = [integer_to_binary(Position), $., $\s, escape(Name), $\s, money(Cents), $\n],
    append_rows(Rows, Position + 1, <<Page/binary, (iolist_to_binary(Row))/binary>>).

escape(Text) ->
    << <<(escape_byte(Byte))/binary>> || <<Byte>> <= Text >>.

escape_byte($<) -> <<"&lt;">>;
escape_byte($&) -> <<"&amp;">>;
escape_byte(Byte) -> <<Byte>>.

money(Cents) ->
    Rest = integer_to_binary(100 + Cents rem 100),
    <<(integer_to_binary(Cents div 100))/binary, ".", (binary:part(Rest, 1, 2))/binary>>.
