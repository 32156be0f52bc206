%% Sockets to peers that read nothing, each with more to write than the one before, and what the VM says of its ports.
-module(gt_ports).
-export([main/0]).

main() ->
    [Wanted] = gt_control:arguments(),
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listening),
    Kept = [fill(Listening, Number, Socket) || Socket <- lists:seq(1, list_to_integer(Wanted))],
    gt_control:serve(fun() -> Kept, #{ports => [port(Port) || Port <- erlang:ports(), is_socket(Port)]} end).

%% No process waits: one that finds the port busy is suspended, so it is another one.
fill(Listening, Number, Socket) ->
    {ok, Sender} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary, {active, false}, {high_watermark, 10000}, {sndbuf, 4096}]),
    {ok, Peer} = gen_tcp:accept(Listening),
    spawn(fun() -> send(Sender, 2000000 * Socket) end),
    wait_for_queue(Sender),
    {Sender, Peer}.

%% The port is busy when more comes while something waits.
send(Sender, Bytes) ->
    [port_command(Sender, binary:copy(<<"x">>, Bytes), [force]) || _ <- [1, 2]],
    receive stop -> ok end.

%% Until what the kernel takes is gone and no more moves.
wait_for_queue(Sender) ->
    case erlang:port_info(Sender, queue_size) of
        {queue_size, Before} when Before > 0 ->
            timer:sleep(50),
            case erlang:port_info(Sender, queue_size) of {queue_size, Before} -> ok; _ -> wait_for_queue(Sender) end;
        _ -> timer:sleep(10), wait_for_queue(Sender)
    end.

is_socket(Port) -> erlang:port_info(Port, name) =:= {name, "tcp_inet"}.

port(Port) ->
    Info = erlang:port_info(Port),
    {queue_size, Queue} = erlang:port_info(Port, queue_size),
    Get = fun(Key) -> proplists:get_value(Key, Info) end,
    #{port => list_to_binary(erlang:port_to_list(Port)),
      name => list_to_binary(Get(name)),
      owner => list_to_binary(pid_to_list(Get(connected))),
      in_bytes => Get(input), out_bytes => Get(output), queue_bytes => Queue}.
