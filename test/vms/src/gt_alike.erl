%% Ten functions that do the same work, each on a list of its own that no cache has room for, so that all of them take
%% more time alike when other programs use the memory. Rounds of all ten are counted; a small server of HTTP tells how
%% many there were (/count).
-module(gt_alike).
-export([main/0, forever/2, serve/2]).

%% Of each list, 16 MB.
-define(LENGTH, 1_000_000).

main() ->
    Rounds = atomics:new(1, []),
    {ok, Socket} = gen_tcp:listen(0, [binary, {ip, {127, 0, 0, 1}}, {active, false}, {reuseaddr, true}]),
    {ok, Port} = inet:port(Socket),
    spawn_link(?MODULE, forever, [Rounds, lists:seq(1, ?LENGTH)]),
    spawn_link(?MODULE, serve, [Socket, Rounds]),
    gt_control:serve(fun() -> #{port => Port, rounds => atomics:get(Rounds, 1)} end).

forever(Rounds, List) ->
    %% Copies, so that no function finds in a cache what the one before has read.
    Lists = list_to_tuple([lists:map(fun(X) -> X end, List) || _ <- lists:seq(1, 10)]),
    rounds(Rounds, Lists).

rounds(Rounds, {A, B, C, D, E, F, G, H, I, J} = Lists) ->
    walk_a(A, 0), walk_b(B, 0), walk_c(C, 0), walk_d(D, 0), walk_e(E, 0),
    walk_f(F, 0), walk_g(G, 0), walk_h(H, 0), walk_i(I, 0), walk_j(J, 0),
    atomics:add(Rounds, 1, 1),
    rounds(Rounds, Lists).

walk_a([X | Rest], Sum) -> walk_a(Rest, Sum + X);
walk_a([], Sum) -> Sum.
walk_b([X | Rest], Sum) -> walk_b(Rest, Sum + X);
walk_b([], Sum) -> Sum.
walk_c([X | Rest], Sum) -> walk_c(Rest, Sum + X);
walk_c([], Sum) -> Sum.
walk_d([X | Rest], Sum) -> walk_d(Rest, Sum + X);
walk_d([], Sum) -> Sum.
walk_e([X | Rest], Sum) -> walk_e(Rest, Sum + X);
walk_e([], Sum) -> Sum.
walk_f([X | Rest], Sum) -> walk_f(Rest, Sum + X);
walk_f([], Sum) -> Sum.
walk_g([X | Rest], Sum) -> walk_g(Rest, Sum + X);
walk_g([], Sum) -> Sum.
walk_h([X | Rest], Sum) -> walk_h(Rest, Sum + X);
walk_h([], Sum) -> Sum.
walk_i([X | Rest], Sum) -> walk_i(Rest, Sum + X);
walk_i([], Sum) -> Sum.
walk_j([X | Rest], Sum) -> walk_j(Rest, Sum + X);
walk_j([], Sum) -> Sum.

serve(Socket, Rounds) ->
    {ok, Client} = gen_tcp:accept(Socket),
    {ok, _} = gen_tcp:recv(Client, 0, 5000),
    Page = integer_to_binary(atomics:get(Rounds, 1)),
    Length = integer_to_binary(byte_size(Page)),
    gen_tcp:send(Client, [<<"HTTP/1.1 200 OK\r\nContent-Length: ">>, Length, <<"\r\nConnection: close\r\n\r\n">>, Page]),
    gen_tcp:close(Client),
    serve(Socket, Rounds).
