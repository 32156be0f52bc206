%% Processes whose memory lies outside of their heaps, or that are hard to look at, by registered names; and what the
%% VM says of their memory. The one with buffers is asked last: the question empties them into its queue.
-module(gt_sums).
-export([main/0, labelled/0]).

%% Mailboxes on heaps: of many messages, of few, and of many that several processes send at once.
-define(ON_HEAP, [received, received_few, received_of_ten]).
-define(AT_REST, ?ON_HEAP ++ [big, many, related, watched, deep, 'Elixir.Gt.Named']).

main() ->
    register(gt_main, self()),
    [start(Name, fun wait/0) || Name <- ?ON_HEAP],
    send(received, 20000),
    send(received_few, 3000),
    ended([spawn_monitor(fun() -> send(received_of_ten, 2000) end) || _ <- lists:seq(1, 10)]),
    [rests(Name) || Name <- ?ON_HEAP],
    start(big, fun wait/0),
    [big ! lists:seq(1, 20000) || _ <- lists:seq(1, 20)],
    start(many, fun() -> process_flag(message_queue_data, off_heap), wait() end),
    [many ! {message, Number, <<"text">>} || Number <- lists:seq(1, 60000)],
    start(watched, fun wait/0),
    Others = [spawn(fun() -> monitor(process, watched), wait() end) || _ <- lists:seq(1, 1500)],
    start(related, fun() ->
        [begin link(Other), monitor(process, Other) end || Other <- Others],
        [gen_udp:open(0) || _ <- lists:seq(1, 3)],
        wait()
    end),
    start(deep, fun() -> recursion(300000) end),
    start('Elixir.Gt.Named', fun label/0),
    start(busy, fun() -> put('$process_label', {busy, 1}), ready(), busy(lists:seq(1, 20000)) end),
    spawn(?MODULE, labelled, []),
    receive {ready, _} -> ok end,
    start(buffered, fun buffered/0),
    ended([spawn_monitor(fun() -> [buffered ! Number || Number <- lists:seq(1, 500)] end) || _ <- lists:seq(1, 40)]),
    gt_control:serve(fun report/0).

send(Name, Count) -> [Name ! {m, Number, lists:seq(1, 50)} || Number <- lists:seq(1, Count)].

ended(Senders) -> [receive {'DOWN', Monitor, process, Sender, normal} -> ok end || {Sender, Monitor} <- Senders].

%% Until it has looked through its mailbox.
rests(Name) ->
    case process_info(whereis(Name), status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), rests(Name)
    end.

%% Until it is ready.
start(Name, Fun) ->
    Pid = spawn(Fun),
    register(Name, Pid),
    receive {ready, Pid} -> ok end.

ready() -> gt_main ! {ready, self()}.

report() ->
    Memory = [{Name, element(2, process_info(whereis(Name), memory))} || Name <- ?AT_REST],
    #{memory => maps:from_list(Memory), buffers => ets:info(buffers, size) =/= undefined, related => #{
        links => length(element(2, process_info(whereis(related), links))),
        ports => [list_to_binary(erlang:port_to_list(Port)) || Port <- element(2, process_info(whereis(related), links)), is_port(Port)],
        monitors => length(element(2, process_info(whereis(related), monitors)))}}.

wait() -> ready(), receive stop -> ok end.

recursion(0) -> wait(), 0;
recursion(Depth) -> 1 + recursion(Depth - 1).

%% Has no name but its label.
labelled() -> put('$process_label', {busy, 2}), ready(), busy(lists:seq(1, 20000)).

busy(List) -> busy(tl(List) ++ [hd(List)]).

label() ->
    Long = list_to_binary(["customer ACME Corporation International, ", "Department of long names"]),
    Appended = <<(list_to_binary("order "))/binary, "42">>,
    put('$process_label', {Long, Appended, #{rate => 1.5}}),
    wait().

%% Runs, so that what is sent stays in its buffers; OTP 23 has none.
buffered() ->
    process_flag(message_queue_data, off_heap),
    catch erts_debug:set_internal_state(available_internal_state, true),
    case catch erts_debug:set_internal_state(proc_sig_buffers, true) of
        true -> ets:new(buffers, [named_table, public]);
        _ -> ok
    end,
    ready(),
    spin().

spin() -> lists:sum(lists:seq(1, 1000)), spin().
