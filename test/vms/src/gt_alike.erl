%% Ten functions that do the same work, each on a list of its own that no cache has room for, so that all of them take
%% more time alike when other programs use the memory. Rounds of all ten are counted; a small server of HTTP tells how
%% many there were (/count).
-module(gt_alike).
-export([main/0, forever/2, serve/2]).

%% Of each list, 16 MB.
-define(LENGTH, 1_000_000).
-define(WALK(Name), Name([X | Rest], Sum) -> Name(Rest, Sum + X); Name([], Sum) -> Sum).

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

?WALK(walk_a).
?WALK(walk_b).
?WALK(walk_c).
?WALK(walk_d).
?WALK(walk_e).
?WALK(walk_f).
?WALK(walk_g).
?WALK(walk_h).
?WALK(walk_i).
?WALK(walk_j).

serve(Socket, Rounds) ->
    {ok, Client} = gen_tcp:accept(Socket),
    {ok, _} = gen_tcp:recv(Client, 0, 5000),
    Page = integer_to_binary(atomics:get(Rounds, 1)),
    Length = integer_to_binary(byte_size(Page)),
    gen_tcp:send(Client, [<<"HTTP/1.1 200 OK\r\nContent-Length: ">>, Length, <<"\r\nConnection: close\r\n\r\n">>, Page]),
    gen_tcp:close(Client),
    serve(Socket, Rounds).
