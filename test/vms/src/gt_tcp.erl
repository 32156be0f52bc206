%% A process that works through sockets, so that it runs the code of their driver itself, and beside it a port that works
%% by itself. The process and the port each have a scheduler: what of the port's ran in the middle of a slice of the
%% process would count in both.
-module(gt_tcp).
-export([main/0, exchanges/1, options/1]).

-define(TASK, <<"on_timeout">>).

main() ->
    ok = erl_ddll:load_driver(filename:dirname(code:which(?MODULE)), "gt_driver"),
    Slices = gt_slices:start(?MODULE, [{exchanges, 6_000, 1}, {options, 3_000, 1}], #{scheduler => 1, more => [?TASK]}),
    spawn_opt(fun() ->
        [] = port_control(open_port({spawn_driver, "gt_driver"}, []), 2, <<>>),
        receive stop -> ok end
    end, [link, {scheduler, 2}]),
    gt_slices:watch(Slices, ?TASK, fun task_ns/0),
    gt_control:serve(fun() -> gt_slices:truth(Slices) end).

%% Of a port of the caller's own: that of another one is locked while it works.
task_ns() ->
    Port = case get(port) of
        undefined ->
            New = open_port({spawn_driver, "gt_driver"}, []),
            put(port, New),
            New;
        Known -> Known
    end,
    binary:decode_unsigned(list_to_binary(port_control(Port, 4, <<>>)), little).

exchanges(Count) -> exchanges(Count, sockets()).
exchanges(0, _) -> ok;
exchanges(Count, {Out, In} = Sockets) ->
    ok = gen_tcp:send(Out, <<0:8_000>>),
    {ok, _} = gen_tcp:recv(In, 1_000),
    exchanges(Count - 1, Sockets).

options(Count) -> options(Count, sockets()).
options(0, _) -> ok;
options(Count, {Out, _} = Sockets) ->
    {ok, _} = inet:getopts(Out, [recbuf, sndbuf, active, mode, header, priority, tos]),
    options(Count - 1, Sockets).

%% Both ends of a connection, made once.
sockets() ->
    case get(sockets) of
        undefined ->
            Options = [binary, {active, false}, {ip, {127, 0, 0, 1}}],
            {ok, Listen} = gen_tcp:listen(0, Options),
            {ok, Number} = inet:port(Listen),
            {ok, Out} = gen_tcp:connect({127, 0, 0, 1}, Number, Options),
            {ok, In} = gen_tcp:accept(Listen),
            put(sockets, {Out, In}),
            {Out, In};
        Known -> Known
    end.
