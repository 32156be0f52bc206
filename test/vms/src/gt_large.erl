%% A process with a large heap, or one with many messages: `heap N` is a list of N tuples of eleven words each, `messages N`.
%% The report comes once all of it is there.
-module(gt_large).
-export([main/0]).

main() ->
    [Kind, Count] = gt_control:arguments(),
    Self = self(),
    Pid = spawn_opt(fun() -> live(Kind, list_to_integer(Count), Self) end, [{message_queue_data, off_heap}]),
    register(large, Pid),
    gt_control:serve(fun() -> report(get(told), Kind, Pid, list_to_integer(Count)) end).

report(undefined, "heap", Pid, _) ->
    receive ready -> ok end,
    put(told, true),
    {_, Info} = process_info(Pid, garbage_collection_info),
    #{heap_words => proplists:get_value(heap_size, Info) + proplists:get_value(old_heap_size, Info)};
report(undefined, "messages", Pid, Count) ->
    receive ready -> ok end,
    send(Pid, Count),
    %% Its signals are in its queue once it has answered one.
    {_, Length} = process_info(Pid, message_queue_len),
    {_, Bytes} = process_info(Pid, memory),
    put(told, true),
    #{messages => Length, memory_bytes => Bytes};
report(true, _, _, _) ->
    #{}.

live("heap", Count, Owner) ->
    Kept = [{Number, [Number], <<Number:64>>} || Number <- lists:seq(1, Count)],
    erlang:garbage_collect(),
    Owner ! ready,
    receive stop -> Kept end;
live("messages", _, Owner) ->
    Owner ! ready,
    receive stop -> ok end.

send(_, 0) -> ok;
send(Pid, Count) ->
    Pid ! {work, Count, [Count]},
    send(Pid, Count - 1).
