%% Messages of three sizes sent to one receiver. Truth: time under each sending function,
%% which is the time of copying the message into the receiver's memory and little else.
-module(gt_msg).
-export([main/0, receiver/0, send_small/1, send_medium/1, send_large/1, caught_up/0]).

%% With "apart" sender and receiver each keep to a scheduler of their own: then a slice is never
%% moved and its processor time is known, but nearly each message wakes the other scheduler.
main() ->
    {Receiver, Sender} =
        case gt_control:arguments() of
            ["apart" | _] -> {[{scheduler, erlang:system_info(schedulers)}], #{scheduler => 1}};
            _ -> {[], #{}}
        end,
    register(gt_msg_receiver, spawn_opt(?MODULE, receiver, [], [link | Receiver])),
    Slices = gt_slices:start(?MODULE,
                             [{send_small, 1_500, 1}, {send_medium, 3_000, 1}, {send_large, 6_000, 1}],
                             Sender#{after_each => caught_up}),
    gt_control:serve(fun() -> gt_slices:truth(Slices) end).

receiver() ->
    receive
        {caught_up, From} -> From ! caught_up;
        _Message -> ok
    end,
    receiver().

%% Outside the timed slices: the queue is empty again before the next slice begins.
caught_up() ->
    gt_msg_receiver ! {caught_up, self()},
    receive caught_up -> ok end.

send_small(Count) -> send_small(Count, {small, [1, 2, 3, 4]}).
send_small(0, _) -> ok;
send_small(Count, Message) ->
    gt_msg_receiver ! Message,
    send_small(Count - 1, Message).

send_medium(Count) -> send_medium(Count, [{medium, Number, [Number]} || Number <- lists:seq(1, 50)]).
send_medium(0, _) -> ok;
send_medium(Count, Message) ->
    gt_msg_receiver ! Message,
    send_medium(Count - 1, Message).

send_large(Count) -> send_large(Count, [{large, Number, [Number]} || Number <- lists:seq(1, 1000)]).
send_large(0, _) -> ok;
send_large(Count, Message) ->
    gt_msg_receiver ! Message,
    send_large(Count - 1, Message).
