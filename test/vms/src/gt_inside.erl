%% Processes of known kinds that rest, and what the VM itself says of them and of all others.
-module(gt_inside).
-export([main/0, start/2, init/1, handle_call/3, handle_cast/2, handle_info/2]).
-behaviour(gen_server).

main() ->
    [Wanted | More] = gt_control:arguments(),
    erlang:system_flag(backtrace_depth, 60),
    Kinds = [labelled, server, mailbox, binaries, dictionary, hibernating, suspended, high, old_heap, deep],
    Many = [start(Kind, Number) || Kind <- Kinds, Number <- lists:seq(1, list_to_integer(Wanted))],
    %% Processes that hibernate, or collect, have done so by then.
    timer:sleep(300),
    [spawn(fun storm/0) || "storm" <- More, _ <- [1, 2, 3]],
    [in_c(Pipe) || "in_c=" ++ Pipe <- More],
    Known = sets:from_list([list_to_binary(pid_to_list(Pid)) || Pid <- Many]),
    gt_control:serve(fun() -> report(Known) end).

%% Processes that come and go as fast as they can, in the memory of those before.
storm() ->
    [spawn(fun() -> put('$initial_call', {storm, Word, 1}), lists:seq(1, Word * 10) end) || Word <- lists:seq(1, 100)],
    timer:sleep(1),
    storm().

%% A process that sleeps in C code: the pipe is one that nothing writes to.
in_c(Pipe) ->
    spawn(fun() -> register(asleep_in_c, self()), file:open(Pipe, [raw, read]) end).

start(Kind, Number) ->
    Pid = begin_(Kind, Number),
    Kind =:= mailbox andalso [Pid ! {work, Message, <<"abc">>} || Message <- lists:seq(1, Number rem 50 + 1)],
    Kind =:= suspended andalso gt_suspend:suspend(Pid),
    Pid.

begin_(server, Number) ->
    {ok, Pid} = gen_server:start(?MODULE, Number, []),
    Pid;
begin_(Kind, Number) ->
    Self = self(),
    Options = case Kind of high -> [{priority, high}]; _ -> [] end,
    Pid = erlang:spawn_opt(fun() -> prepare(Kind, Number), Self ! {self(), ready}, rest(Kind) end, Options),
    receive {Pid, ready} -> Pid end.

prepare(labelled, Number) ->
    Number rem 10 =:= 0 andalso register(list_to_atom("worker " ++ integer_to_list(Number)), self()),
    put('$process_label', label(Number rem 5, Number));
prepare(binaries, Number) ->
    Large = [binary:copy(<<Number:32>>, 100) || _ <- lists:seq(1, Number rem 20)],
    %% One binary twice, one that is a part of another, one that is being appended to.
    Twice = case Large of [First | _] -> [First, binary:part(First, 3, 90)]; [] -> [] end,
    Appended = << (binary:copy(<<"x">>, 70))/binary, "y">>,
    put(held, {Large, Twice, <<Appended/binary, "z">>});
prepare(dictionary, Number) ->
    [put({key, Key}, {value, Key}) || Key <- lists:seq(1, Number * 7)],
    put('$process_label', {dictionary, Number});
prepare(old_heap, Number) ->
    put(list, lists:seq(1, 1000 + Number)),
    erlang:garbage_collect(self(), [{type, minor}]),
    erlang:garbage_collect(self(), [{type, minor}]),
    put(more, lists:seq(1, Number));
prepare(deep, Number) ->
    put(number, Number);
prepare(_, _) ->
    ok.

label(0, Number) -> {worker, Number};
label(1, Number) -> [pool, Number, {shard, Number rem 4}];
label(2, Number) -> "session " ++ integer_to_list(Number);
label(3, Number) -> list_to_binary("connection " ++ integer_to_list(Number));
label(4, _) -> idle.

rest(hibernating) -> erlang:hibernate(erlang, apply, [fun wait/0, []]);
rest(deep) -> deep(get(number));
rest(_) -> wait().

deep(0) -> wait();
deep(Left) -> 1 + deep(Left - 1).

wait() -> receive stop -> 0 end.

init(Number) -> {ok, {state, Number}}.
handle_call(_, _, State) -> {reply, ok, State}.
handle_cast(_, State) -> {noreply, State}.
handle_info(_, State) -> {noreply, State}.

report(Known) ->
    %% First: what it loads has atoms.
    Statistics = statistics(),
    Pids = [Pid || Pid <- processes(), Pid =/= self()],
    #{processes => [describe(Pid, Known) || Pid <- Pids],
      counts => #{processes => erlang:system_info(process_count),
                  process_limit => erlang:system_info(process_limit),
                  ports => erlang:system_info(port_count),
                  port_limit => erlang:system_info(port_limit),
                  atoms => erlang:system_info(atom_count),
                  atom_limit => erlang:system_info(atom_limit)},
      statistics => Statistics}.

%% What the VM counts. What is asked first is not changed by what is asked later.
statistics() ->
    {{input, Input}, {output, Output}} = erlang:statistics(io),
    {Collections, Words, _} = erlang:statistics(garbage_collection),
    {Switches, _} = erlang:statistics(context_switches),
    {Reductions, _} = erlang:statistics(reductions),
    #{collections => Collections, reclaimed_words => Words, context_switches => Switches,
      reductions => Reductions, io_in_bytes => Input, io_out_bytes => Output,
      memory => maps:from_list(erlang:memory()),
      ports => [port(Port, erlang:port_info(Port)) || Port <- erlang:ports()]}.

port(Port, Info) ->
    {queue_size, Queue} = erlang:port_info(Port, queue_size),
    Get = fun(Key) -> proplists:get_value(Key, Info) end,
    #{port => list_to_binary(erlang:port_to_list(Port)),
      name => text("~ts", Get(name)),
      owner => list_to_binary(pid_to_list(Get(connected))),
      in_bytes => Get(input), out_bytes => Get(output), queue_bytes => Queue}.

describe(Pid, Known) ->
    Name = list_to_binary(pid_to_list(Pid)),
    Items = [registered_name, dictionary, initial_call, current_function, current_location, status, priority,
             message_queue_len, current_stacktrace, total_heap_size, garbage_collection, garbage_collection_info, reductions, binary, memory],
    case process_info(Pid, Items) of
        undefined -> #{pid => Name, gone => true};
        Info -> described(Name, Info, sets:is_element(Name, Known), parent(Pid))
    end.

described(Name, Info, IsKnown, Parent) ->
    Get = fun(Key) -> proplists:get_value(Key, Info) end,
    Dictionary = Get(dictionary),
    Collected = Get(garbage_collection_info),
    {_, _, Location} = split_location(Get(current_location)),
    #{pid => Name,
      known => IsKnown,
      name => case Get(registered_name) of [] -> null; Atom -> text("~w", Atom) end,
      label => case lists:keyfind('$process_label', 1, Dictionary) of {_, Label} -> text("~0p", Label); false -> null end,
      initial_call => call(case lists:keyfind('$initial_call', 1, Dictionary) of {_, Call} -> Call; false -> Get(initial_call) end),
      current => call(Get(current_function)),
      stack => [call({M, F, A}) || IsKnown, {M, F, A, _} <- Get(current_stacktrace)],
      line => proplists:get_value(line, Location, null),
      status => Get(status),
      priority => Get(priority),
      mailbox => Get(message_queue_len),
      heap_words => proplists:get_value(heap_block_size, Collected) + proplists:get_value(old_heap_block_size, Collected),
      heap_used_words => proplists:get_value(heap_size, Collected) + proplists:get_value(old_heap_size, Collected),
      fragments_words => proplists:get_value(mbuf_size, Collected),
      memory => Get(memory),
      reductions => Get(reductions),
      minor_gcs => proplists:get_value(minor_gcs, Get(garbage_collection)),
      binary_bytes => lists:sum([Bytes || {_, Bytes, _} <- lists:ukeysort(1, Get(binary))]),
      parent => Parent}.

split_location({M, F, _, Location}) -> {M, F, Location};
split_location(_) -> {none, none, []}.

%% Only OTP 25 and later say it.
parent(Pid) ->
    try process_info(Pid, parent) of
        {parent, Parent} when is_pid(Parent) -> list_to_binary(pid_to_list(Parent));
        _ -> null
    catch error:badarg -> unknown
    end.

call({Module, Function, Arity}) -> text("~w:~w/~w", Module, Function, Arity);
call(_) -> null.

text(Format, Term) -> escaped(io_lib:format(Format, [Term])).
text(Format, One, Two, Three) -> escaped(io_lib:format(Format, [One, Two, Three])).

escaped(Text) -> << <<(escape(Byte))/binary>> || <<Byte>> <= iolist_to_binary(Text) >>.

escape($") -> <<"\\\"">>;
escape($\\) -> <<"\\\\">>;
escape(Byte) -> <<Byte>>.
