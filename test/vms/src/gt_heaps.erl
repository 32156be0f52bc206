%% Processes with heaps of many kinds, live and garbage. The first report says who they are, the second
%% collects each and says how many words that left.
-module(gt_heaps).
-export([main/0, init/1, handle_call/3, handle_cast/2, handle_info/2]).
-behaviour(gen_server).
-record(state, {number, cache, queue}).

main() ->
    Kinds = [lists, tuples, maps, large_map, funs, binaries, numbers, dictionary, server, promoted, recursing, hibernating, foreign],
    Pids = [start(Kind, Number) || Kind <- Kinds, Number <- lists:seq(1, 5)],
    timer:sleep(300),
    gt_control:serve(fun() -> report(get(told), Pids) end).

report(undefined, Pids) ->
    put(told, true),
    #{pids => [list_to_binary(pid_to_list(Pid)) || Pid <- Pids]};
report(true, Pids) ->
    #{collected => [collected(Pid) || Pid <- Pids]}.

collected(Pid) ->
    erlang:garbage_collect(Pid),
    {_, Info} = process_info(Pid, garbage_collection_info),
    proplists:get_value(heap_size, Info) + proplists:get_value(old_heap_size, Info) + proplists:get_value(mbuf_size, Info).

start(server, Number) ->
    {ok, Pid} = gen_server:start(?MODULE, Number, []),
    [gen_server:cast(Pid, {keep, lists:seq(1, Number * 100)}) || _ <- lists:seq(1, 3)],
    Pid;
start(Kind, Number) ->
    Self = self(),
    Pid = spawn(fun() -> live(Kind, Number, Self) end),
    receive {Pid, ready} -> Pid end.

live(hibernating, Number, Owner) ->
    Kept = lists:seq(1, Number * 50),
    Owner ! {self(), ready},
    erlang:hibernate(erlang, apply, [fun() -> receive stop -> Kept end end, []]);
live(recursing, Number, Owner) ->
    deep(Number * 20, Owner);
live(dictionary, Number, Owner) ->
    [put({key, Key}, lists:seq(1, Key)) || Key <- lists:seq(1, Number * 20)],
    [put(list_to_atom("key_" ++ integer_to_list(Key)), {value, Key}) || Key <- lists:seq(1, Number)],
    [erase({key, Key}) || Key <- lists:seq(1, Number * 5)],
    Owner ! {self(), ready},
    wait(none);
live(promoted, Number, Owner) ->
    Kept = lists:seq(1, 2000),
    waste(Number),
    erlang:garbage_collect(self(), [{type, minor}]),
    waste(Number),
    erlang:garbage_collect(self(), [{type, minor}]),
    More = [Kept | waste(Number * 10)],
    Owner ! {self(), ready},
    wait({Kept, hd(More)});
live(Kind, Number, Owner) ->
    waste(Number),
    Kept = make(Kind, Number * 20),
    waste(Number),
    Owner ! {self(), ready},
    wait(Kept).

waste(Number) -> lists:reverse([{waste, Word} || Word <- lists:seq(1, Number * 30)]).

make(lists, Many) -> [[Word, Word] || Word <- lists:seq(1, Many)];
make(tuples, Many) -> list_to_tuple([{Word, "text"} || Word <- lists:seq(1, Many)]);
make(maps, Many) -> [#{number => Word, text => [Word]} || Word <- lists:seq(1, Many)];
make(large_map, Many) -> maps:from_list([{Word, {Word}} || Word <- lists:seq(1, Many * 10)]);
make(funs, Many) -> [fun() -> {Word, Many} end || Word <- lists:seq(1, Many)];
make(binaries, Many) ->
    [{<<Word:32>>, binary:copy(<<Word:32>>, 50), binary:part(binary:copy(<<Word:32>>, 50), 3, 90), <<Word:13>>} || Word <- lists:seq(1, Many)];
make(numbers, Many) -> [{1 bsl (64 + Word), -(1 bsl 70), Word / 3} || Word <- lists:seq(1, Many)];
make(foreign, Many) ->
    Pid = binary_to_term(<<131, 88, 119, 5, "other", 1:32, 2:32, 3:32>>),
    [{make_ref(), Pid, Word} || Word <- lists:seq(1, Many)].

deep(0, Owner) ->
    Owner ! {self(), ready},
    wait(none);
deep(Left, Owner) ->
    Kept = [Left, Left],
    [Kept | deep(Left - 1, Owner)].

wait(Kept) -> receive stop -> Kept end.

init(Number) -> {ok, #state{number = Number, cache = #{}, queue = []}}.
handle_call(_, _, State) -> {reply, ok, State}.
handle_cast({keep, List}, #state{queue = Queue} = State) -> {noreply, State#state{queue = [List | Queue], cache = #{last => List}}}.
handle_info(_, State) -> {noreply, State}.
