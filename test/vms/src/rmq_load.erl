%% Load for a RabbitMQ broker, bounded in time. Arguments: port, seconds, pairs, bytes per
%% message, milliseconds of rest after each batch. Each pair is a publisher, with confirms in batches, on a topic exchange, and a
%% consumer with acknowledgements on a queue of its own. Prints the messages consumed in
%% every second.
-module(rmq_load).
-export([main/0, publisher/5, consumer/4, ticker/2]).
-include_lib("amqp_client/include/amqp_client.hrl").

-define(EXCHANGE, <<"extrospect.load">>).
-define(BATCH, 100).

main() ->
    logger:set_primary_config(level, error),
    {ok, _} = application:ensure_all_started(amqp_client),
    Port = gt_control:integer_argument(1, 5672),
    Seconds = gt_control:integer_argument(2, 30),
    Pairs = gt_control:integer_argument(3, 4),
    Bytes = gt_control:integer_argument(4, 512),
    RestMs = gt_control:integer_argument(5, 0),
    Consumed = counters:new(1, [write_concurrency]),
    [start_pair(Number, Port, {Bytes, RestMs}, Consumed) || Number <- lists:seq(1, Pairs)],
    spawn_link(?MODULE, ticker, [Consumed, 0]),
    timer:apply_after(Seconds * 1000, erlang, halt, [0]),
    gt_control:serve(fun() -> #{consumed => counters:get(Consumed, 1)} end).

start_pair(Number, Port, {Bytes, RestMs}, Consumed) ->
    Key = iolist_to_binary(io_lib:format("load.pair.~p", [Number])),
    Self = self(),
    spawn_link(?MODULE, consumer, [Port, Key, Consumed, Self]),
    receive {consuming, Key} -> ok after 20_000 -> exit(no_consumer) end,
    spawn_link(?MODULE, publisher, [Port, Key, Bytes, RestMs, 0]).

channel(Port) ->
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1", port = Port}),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'exchange.declare_ok'{} =
        amqp_channel:call(Channel, #'exchange.declare'{exchange = ?EXCHANGE, type = <<"topic">>}),
    Channel.

publisher(Port, Key, Bytes, RestMs, _) ->
    Channel = channel(Port),
    #'confirm.select_ok'{} = amqp_channel:call(Channel, #'confirm.select'{}),
    publish_forever(Channel, Key, binary:copy(<<"x">>, Bytes), RestMs).

publish_forever(Channel, Key, Payload, RestMs) ->
    Publish = #'basic.publish'{exchange = ?EXCHANGE, routing_key = Key},
    [amqp_channel:cast(Channel, Publish, #amqp_msg{payload = Payload}) || _ <- lists:seq(1, ?BATCH)],
    true = amqp_channel:wait_for_confirms(Channel, 30),
    timer:sleep(RestMs),
    publish_forever(Channel, Key, Payload, RestMs).

consumer(Port, Key, Consumed, Starter) ->
    Channel = channel(Port),
    #'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{queue = Key, auto_delete = true}),
    #'queue.bind_ok'{} = amqp_channel:call(
        Channel, #'queue.bind'{queue = Key, exchange = ?EXCHANGE, routing_key = Key}),
    #'basic.qos_ok'{} = amqp_channel:call(Channel, #'basic.qos'{prefetch_count = 200}),
    #'basic.consume_ok'{} = amqp_channel:subscribe(Channel, #'basic.consume'{queue = Key}, self()),
    Starter ! {consuming, Key},
    consume_forever(Channel, Consumed).

consume_forever(Channel, Consumed) ->
    receive
        {#'basic.deliver'{delivery_tag = Tag}, #amqp_msg{}} ->
            amqp_channel:cast(Channel, #'basic.ack'{delivery_tag = Tag}),
            counters:add(Consumed, 1, 1);
        _Other -> ok
    end,
    consume_forever(Channel, Consumed).

ticker(Consumed, Before) ->
    timer:sleep(1000),
    Now = counters:get(Consumed, 1),
    io:format("{\"msgs_per_s\":~p}~n", [Now - Before]),
    ticker(Consumed, Now).
