%% The benchmark of cowlib in bench/real-gate.mjs: an order is a request, the work what a web server has cowlib do for it.
%% The input is made without cowlib, so that it is the same for each commit.
-module(cowlib_orders).
-export([order/1, work/1]).

-define(MASK, 16#5a17c3e9).

order(Random) ->
    {Words, Next} = lists:mapfoldl(fun(_, State) -> word(State) end, Random, lists:seq(1, 12)),
    Pairs = pairs(Words),
    [Name | _] = Plain = [plain(Word) || Word <- Words],
    Text = iolist_to_binary(lists:join($\n, Plain)),
    Order = #{
        pairs => Pairs,
        query => joined($&, [[escaped(Key), $=, escaped(Value)] || {Key, Value} <- Pairs]),
        path => joined($., [escaped(Word) || Word <- Words]),
        words => Words,
        cookie => joined("; ", [[plain(Key), $=, plain(Value)] || {Key, Value} <- Pairs]),
        accept => joined(", ", [["text/", Word, ";q=0.5"] || Word <- Plain]),
        headers => [{<<":path">>, joined($/, Plain)} | [{plain(Key), plain(Value)} || {Key, Value} <- Pairs]],
        event => #{event => Name, id => Name, data => Text},
        masked => masked(Text)
    },
    {Order, Next}.

work(Order) ->
    #{pairs := Pairs, query := Query, path := Path, words := Words, cookie := Cookie} = Order,
    #{accept := Accept, headers := Headers, event := Event, masked := Masked} = Order,
    _ = cow_qs:parse_qs(Query),
    _ = cow_qs:qs(Pairs),
    _ = cow_uri:urldecode(Path),
    _ = [cow_uri:urlencode(Word) || Word <- Words],
    _ = cow_cookie:parse_cookie(Cookie),
    _ = cow_http_hd:parse_accept(Accept),
    {Block, _} = cow_hpack:encode(Headers),
    _ = cow_hpack:decode(iolist_to_binary(Block)),
    _ = iolist_to_binary(cow_sse:event(Event)),
    _ = cow_ws:parse_payload(Masked, ?MASK, 0, 0, text, byte_size(Masked), undefined, #{}, <<0:3>>),
    ok.

word(Random) ->
    {Length, Next} = rand:uniform_s(16, Random),
    {Letters, Last} = lists:mapfoldl(fun(_, State) -> letter(State) end, Next, lists:seq(1, Length + 3)),
    {list_to_binary(Letters), Last}.

%% One of ten has to be escaped.
letter(Random) ->
    {Number, Next} = rand:uniform_s(29, Random),
    {element(Number, list_to_tuple("abcdefghijklmnopqrstuvwxyz /&")), Next}.

pairs([Key, Value | Rest]) -> [{Key, Value} | pairs(Rest)];
pairs([]) -> [].

plain(Word) -> <<"w", <<<<C>> || <<C>> <= Word, C >= $a>>/binary>>.

escaped(Word) -> [[C || C >= $a] ++ [["%", integer_to_list(C, 16)] || C < $a] || <<C>> <= Word].

joined(Separator, Parts) -> iolist_to_binary(lists:join(Separator, Parts)).

%% A payload as a client sends it: each four bytes with the mask.
masked(Text) ->
    Padded = <<Text/binary, "    ">>,
    <<<<(Four bxor ?MASK):32>> || <<Four:32>> <= Padded>>.
