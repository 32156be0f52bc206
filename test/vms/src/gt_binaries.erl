%% Binaries outside of heaps, held and allocated by known processes, and what the VM itself says of them.
-module(gt_binaries).
-export([main/0, matching/3]).

-define(LARGE, 1_000_000).

main() ->
    ets:new(gt_binaries_table, [named_table, public]),
    Shared = binary:copy(<<"s">>, 50_000),
    start(gt_holder, fun() -> hold([binary:copy(<<Number>>, 1000 + Number) || Number <- lists:seq(1, 200)]) end),
    start(gt_twice, fun() -> Binary = binary:copy(<<"t">>, 30_000), hold([Binary, Binary, [Binary]]) end),
    start(gt_shares_a, fun() -> hold(Shared) end),
    start(gt_shares_b, fun() -> hold([Shared]) end),
    %% A hundred bytes of a megabyte, twice, of which fifty are the same; and a part that is nearly all of it. Shorter
    %% parts are copied by a collection itself.
    start(gt_part, fun() -> hold(parts(binary:copy(<<"p">>, ?LARGE))) end),
    start(gt_most, fun() -> <<_:10/binary, Rest/binary>> = binary:copy(<<"m">>, ?LARGE + 1), hold(Rest) end),
    start(gt_matching, fun() -> matching(binary:copy(<<"c">>, ?LARGE + 2), 0, start) end),
    %% Two processes with a part each of one binary.
    Halved = binary:copy(<<"h">>, ?LARGE + 3),
    start(gt_head, fun() -> hold(binary:part(Halved, 0, 100)) end),
    start(gt_tail, fun() -> hold(binary:part(Halved, ?LARGE - 100, 100)) end),
    %% Garbage that waits for a collection.
    start(gt_garbage, fun() -> garbage() end),
    start(gt_appending, fun() -> hold(append(<<>>, 5000)) end),
    %% Two references of ETS, and one of a process.
    InTable = binary:copy(<<"e">>, ?LARGE + 4),
    ets:insert(gt_binaries_table, [{1, InTable}, {2, InTable}]),
    ets:insert(gt_binaries_table, [{Number, binary:copy(<<"u">>, ?LARGE + 8)} || Number <- [3, 4]]),
    start(gt_beside_ets, fun() -> hold(InTable) end),
    %% Whoever has made these has ended.
    Heir = start(gt_heir, fun() -> receive {take, Taken} -> hold(Taken) end end),
    {Maker, Monitor} = spawn_monitor(fun() -> Heir ! {take, [binary:copy(<<Number>>, 20_000) || Number <- lists:seq(1, 50)]} end),
    receive {'DOWN', Monitor, process, Maker, _} -> ok end,
    start(gt_mailbox, fun() -> receive never -> ok end end) ! {message, binary:copy(<<"q">>, ?LARGE + 5)},
    %% A hundred messages outside of its heap have the only references to a binary, ten thousand one each.
    OffHeap = start(gt_off_heap, fun() -> process_flag(message_queue_data, off_heap), receive never -> ok end end),
    {Sender, Sending} = spawn_monitor(fun() ->
        Parted = binary:copy(<<"o">>, ?LARGE + 7),
        [OffHeap ! {part, binary:part(Parted, Number, ?LARGE - 100)} || Number <- lists:seq(1, 100)]
    end),
    receive {'DOWN', Sending, process, Sender, _} -> ok end,
    Flooded = start(gt_flooded, fun() -> process_flag(message_queue_data, off_heap), receive never -> ok end end),
    {Flooder, Flooding} = spawn_monitor(fun() -> [Flooded ! {Number, binary:copy(<<Number>>, 70)} || Number <- lists:seq(1, 10_000)] end),
    receive {'DOWN', Flooding, process, Flooder, _} -> ok end,
    erlang:garbage_collect(),
    put(maker, Maker),
    gt_control:serve(fun truth/0).

start(Name, Run) ->
    Self = self(),
    Pid = spawn(fun() -> register(Name, self()), Self ! {self(), started}, Run() end),
    receive {Pid, started} -> Pid end.

hold(Term) ->
    erlang:garbage_collect(),
    receive stop -> Term end.

parts(Binary) -> [binary:part(Binary, 100, 100), binary:part(Binary, 150, 100)].

%% Stands in the middle of a binary that it goes on to match.
matching(<<"c", Rest/binary>>, Count, Go) when Count < 1000; Go =:= go -> matching(Rest, Count + 1, Go);
matching(Rest, Count, start) when Count =:= 1000 -> receive stop -> matching(Rest, Count + 1, go) end;
matching(_, Count, _) -> Count.

garbage() ->
    make_garbage(),
    receive stop -> ok end.

make_garbage() -> byte_size(binary:copy(<<"g">>, ?LARGE + 6)).

append(Binary, 0) -> Binary;
append(Binary, Left) -> append(<<Binary/binary, Left:64>>, Left - 1).

truth() ->
    %% What is left of the answer before is given back first.
    erlang:garbage_collect(),
    #{maker => pid(get(maker)),
      reader => pid(self()),
      ended => not is_process_alive(get(maker)),
      allocations => allocations(),
      held => [held(Pid) || Pid <- processes(), Pid =/= self()]}.

held(Pid) ->
    case process_info(Pid, [binary, registered_name, reductions]) of
        undefined -> #{pid => pid(Pid), binaries => []};
        [{binary, Binaries}, {registered_name, Name}, {reductions, Reductions}] ->
            #{pid => pid(Pid), name => name(Name), reductions => Reductions,
              binaries => [[integer_to_binary(Address), Size, References] || {Address, Size, References} <- Binaries]}
    end.

name([]) -> null;
name(Name) -> Name.

%% How many binaries each has allocated that are still there, by the VM's own tags; those of processes from OTP 26 on.
allocations() ->
    case list_to_integer(erlang:system_info(otp_release)) >= 26 of
        false -> [];
        true ->
            {ok, {_, 0, Origins}} = instrument:allocations(#{flags => [per_process], allocator_types => [binary_alloc]}),
            [[origin(Origin), lists:sum(tuple_to_list(maps:get(binary, Types, {0})))] || {Origin, Types} <- maps:to_list(Origins)]
    end.

origin(Pid) when is_pid(Pid) -> pid(Pid);
origin(Name) when is_atom(Name) -> Name;
origin(Other) -> iolist_to_binary(io_lib:format("~p", [Other])).

pid(Pid) -> list_to_binary(pid_to_list(Pid)).
