%% A consumer of a RabbitMQ broker that is stuck, and a publisher that does not care. Arguments:
%% port, kind, messages, bytes of each. Of the kind `unread` it consumes without acknowledgements and
%% does not read its socket any more once the broker has said yes. Of the kind `unacked` it takes as
%% many as it asked for beforehand, and acknowledges none. Reports how many messages the broker has
%% confirmed, how many of them the consumer has got, and how many the broker says that it could deliver.
-module(rmq_stuck).
-export([main/0]).
-include_lib("amqp_client/include/amqp_client.hrl").

-define(QUEUE, <<"orders">>).
-define(BATCH, 100).
-define(PREFETCH, 50).
-define(PATIENCE_MS, 60_000).
%% The kernel would take more of what is not read, up to some ten megabytes.
-define(RECEIVE_BUFFER, 65536).

main() ->
    logger:set_primary_config(level, error),
    {ok, _} = application:ensure_all_started(amqp_client),
    [Port, Kind, Messages, Bytes] = gt_control:arguments(),
    Confirmed = counters:new(1, []),
    Got = counters:new(1, []),
    Publisher = channel(list_to_integer(Port)),
    #'queue.declare_ok'{} = amqp_channel:call(Publisher, #'queue.declare'{queue = ?QUEUE, durable = true}),
    consume(list_to_atom(Kind), list_to_integer(Port), Got),
    #'confirm.select_ok'{} = amqp_channel:call(Publisher, #'confirm.select'{}),
    Payload = binary:copy(<<"x">>, list_to_integer(Bytes)),
    spawn_link(fun() -> publish(Publisher, Payload, list_to_integer(Messages), Confirmed) end),
    Asking = channel(list_to_integer(Port)),
    gt_control:serve(fun() ->
        #'queue.declare_ok'{message_count = Ready} = amqp_channel:call(Asking, #'queue.declare'{queue = ?QUEUE, passive = true}),
        #{confirmed => counters:get(Confirmed, 1), got => counters:get(Got, 1), ready => Ready}
    end).

channel(Port) ->
    {ok, Connection} = amqp_connection:start(#amqp_params_network{
        host = "127.0.0.1",
        port = Port,
        heartbeat = 0,
        client_properties = [{<<"connection_name">>, longstr, <<"publisher">>}]
    }),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    Channel.

publish(_, _, 0, _) -> ok;
publish(Channel, Payload, Left, Confirmed) ->
    Now = min(Left, ?BATCH),
    Publish = #'basic.publish'{routing_key = ?QUEUE},
    [ok = amqp_channel:cast(Channel, Publish, #amqp_msg{payload = Payload}) || _ <- lists:seq(1, Now)],
    true = amqp_channel:wait_for_confirms(Channel, ?PATIENCE_MS div 1000),
    counters:add(Confirmed, 1, Now),
    publish(Channel, Payload, Left - Now, Confirmed).

consume(unacked, Port, Got) ->
    Self = self(),
    spawn_link(fun() ->
        Channel = channel(Port),
        #'basic.qos_ok'{} = amqp_channel:call(Channel, #'basic.qos'{prefetch_count = ?PREFETCH}),
        #'basic.consume_ok'{} = amqp_channel:subscribe(Channel, #'basic.consume'{queue = ?QUEUE}, self()),
        Self ! consuming,
        keep(Got)
    end),
    receive consuming -> ok after ?PATIENCE_MS -> exit(no_consumer) end;
consume(unread, Port, _) ->
    Options = [binary, {active, false}, {nodelay, true}, {recbuf, ?RECEIVE_BUFFER}, {buffer, 4096}],
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, Options),
    ok = gen_tcp:send(Socket, <<"AMQP", 0, 0, 9, 1>>),
    #'connection.start'{} = answer(Socket),
    send(Socket, 0, #'connection.start_ok'{
        client_properties = [{<<"connection_name">>, longstr, <<"stuck">>}],
        mechanism = <<"PLAIN">>,
        response = <<0, "guest", 0, "guest">>,
        locale = <<"en_US">>
    }),
    #'connection.tune'{channel_max = Channels, frame_max = Frame} = answer(Socket),
    %% Without heartbeats nobody ends the connection for being silent.
    send(Socket, 0, #'connection.tune_ok'{channel_max = Channels, frame_max = Frame, heartbeat = 0}),
    send(Socket, 0, #'connection.open'{virtual_host = <<"/">>}),
    #'connection.open_ok'{} = answer(Socket),
    send(Socket, 1, #'channel.open'{}),
    #'channel.open_ok'{} = answer(Socket),
    send(Socket, 1, #'basic.consume'{queue = ?QUEUE, no_ack = true}),
    #'basic.consume_ok'{} = answer(Socket),
    %% The port would be closed with its owner.
    Keeper = spawn_link(fun() -> receive after infinity -> ok end end),
    ok = gen_tcp:controlling_process(Socket, Keeper).

keep(Got) ->
    receive
        {#'basic.deliver'{}, #amqp_msg{}} -> counters:add(Got, 1, 1);
        _ -> ok
    end,
    keep(Got).

send(Socket, Channel, Method) ->
    {ClassId, MethodId} = rabbit_framing_amqp_0_9_1:method_id(element(1, Method)),
    Fields = rabbit_framing_amqp_0_9_1:encode_method_fields(Method),
    Frame = <<ClassId:16, MethodId:16, Fields/binary>>,
    ok = gen_tcp:send(Socket, <<1, Channel:16, (byte_size(Frame)):32, Frame/binary, 206>>).

%% The next frame, which has to be a method.
answer(Socket) ->
    {ok, <<1, _Channel:16, Size:32>>} = gen_tcp:recv(Socket, 7, ?PATIENCE_MS),
    {ok, <<Frame:Size/binary, 206>>} = gen_tcp:recv(Socket, Size + 1, ?PATIENCE_MS),
    <<Class:16, Method:16, Fields/binary>> = Frame,
    Name = rabbit_framing_amqp_0_9_1:lookup_method_name({Class, Method}),
    rabbit_framing_amqp_0_9_1:decode_method_fields(Name, Fields).
