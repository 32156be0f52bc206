%% Work that is counted: orders, each of them one call of heavy/2 and one of steady/2, half of the
%% time: it rests after so much work, not after so many orders. A small
%% server of HTTP tells how many there were: /metrics as a Prometheus page, /count as a number.
%% /faster makes heavy/2 cheap, /restart lets the counter begin anew, and after /away there is no
%% /metrics any more.
-module(gt_work).
-export([main/0, forever/2, serve/3]).

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).
%% What heavy/2 does more than steady/2 before /faster.
-define(HEAVY, 2000).
-define(STEADY, 500).
%% Rounds of both between two rests, some ten milliseconds.
-define(ROUNDS, 300_000).

main() ->
    %% Orders, and how often they were read.
    Orders = atomics:new(2, []),
    Heavy = atomics:new(1, []),
    atomics:put(Heavy, 1, ?HEAVY),
    {ok, Socket} = gen_tcp:listen(0, [binary, {ip, {127, 0, 0, 1}}, {active, false}, {reuseaddr, true}]),
    {ok, Port} = inet:port(Socket),
    spawn_link(?MODULE, forever, [Orders, Heavy]),
    spawn_link(?MODULE, serve, [Socket, Orders, Heavy]),
    gt_control:serve(fun() -> #{port => Port, orders => atomics:get(Orders, 1), readings => atomics:get(Orders, 2)} end).

forever(Orders, Heavy) ->
    orders(?ROUNDS, Orders, Heavy),
    timer:sleep(10),
    forever(Orders, Heavy).

orders(Left, _, _) when Left =< 0 -> ok;
orders(Left, Orders, Heavy) ->
    Rounds = atomics:get(Heavy, 1),
    X = heavy(Rounds, 1),
    Y = steady(?STEADY, X),
    atomics:add(Orders, 1, 1 + Y band 0),
    orders(Left - Rounds - ?STEADY, Orders, Heavy).

heavy(0, X) -> X;
heavy(Count, X) -> heavy(Count - 1, ?EIGHT(X)).

steady(0, X) -> X;
steady(Count, X) -> steady(Count - 1, ?EIGHT(X)).

serve(Socket, Orders, Heavy) ->
    {ok, Client} = gen_tcp:accept(Socket),
    case gen_tcp:recv(Client, 0, 5000) of
        {ok, Request} ->
            [_, Path | _] = binary:split(Request, <<" ">>, [global]),
            {Status, Page} = answer(Path, Orders, Heavy),
            Length = integer_to_binary(byte_size(Page)),
            gen_tcp:send(Client, [<<"HTTP/1.1 ">>, Status, <<"\r\nContent-Length: ">>, Length,
                                  <<"\r\nConnection: close\r\n\r\n">>, Page]);
        {error, _} ->
            ok
    end,
    gen_tcp:close(Client),
    serve(Socket, Orders, Heavy).

answer(<<"/metrics">>, Orders, _) ->
    case get(is_away) of
        true ->
            {<<"404 Not Found">>, <<>>};
        undefined ->
            atomics:add(Orders, 2, 1),
            {<<"200 OK">>, iolist_to_binary([
                "# HELP shop_orders_total Orders that were taken.\n",
                "# TYPE shop_orders_total counter\n",
                "shop_orders_total{kind=\"new\"} ", integer_to_list(atomics:get(Orders, 1)), "\n",
                "shop_orders_total{kind=\"old\"} 1e3\n",
                "shop_stock 7\n"])}
    end;
answer(<<"/count">>, Orders, _) ->
    atomics:add(Orders, 2, 1),
    {<<"200 OK">>, integer_to_binary(atomics:get(Orders, 1))};
answer(<<"/faster">>, _, Heavy) ->
    atomics:put(Heavy, 1, ?HEAVY div 20),
    {<<"200 OK">>, <<>>};
answer(<<"/restart">>, Orders, _) ->
    atomics:put(Orders, 1, 0),
    {<<"200 OK">>, <<>>};
answer(<<"/away">>, _, _) ->
    put(is_away, true),
    {<<"200 OK">>, <<>>};
answer(_, _, _) ->
    {<<"404 Not Found">>, <<>>}.
