%% A process that spins in a NIF on a normal scheduler, and one that collects a large heap. Both count how often they did, and
%% how long it took at most.
-module(gt_stays).
-export([main/0, spin/1, clock_us/0, spins/1, collects/2]).
-nifs([spin/1, clock_us/0]).

-define(SPIN_MS, 300).
-define(ELEMENTS, 8_000_000).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    Done = counters:new(4, [atomics]),
    Main = self(),
    Spinner = spawn(fun() -> spins(Done) end),
    %% The collections while the list is made are not counted.
    Collector = spawn(fun() ->
        Data = lists:seq(1, ?ELEMENTS),
        erlang:garbage_collect(),
        Main ! ready,
        collects(Done, Data)
    end),
    receive ready -> ok end,
    gt_control:serve(fun() ->
        #{spinner => name(Spinner), collector => name(Collector),
          spins => counters:get(Done, 1), longest_spin_us => counters:get(Done, 2),
          collections => counters:get(Done, 3), longest_collection_us => counters:get(Done, 4)}
    end).

%% The time limit lets the scheduler run others.
spins(Done) ->
    Begin = clock_us(),
    spin(?SPIN_MS),
    took(Done, 1, Begin),
    receive after 10 -> spins(Done) end.

collects(Done, Data) ->
    Begin = clock_us(),
    erlang:garbage_collect(),
    took(Done, 3, Begin),
    receive after 10 -> collects(Done, Data) end.

took(Done, At, Begin) ->
    Took = clock_us() - Begin,
    counters:put(Done, At + 1, max(Took, counters:get(Done, At + 1))),
    counters:add(Done, At, 1).

name(Pid) -> list_to_binary(pid_to_list(Pid)).

spin(_) -> erlang:nif_error(not_loaded).

clock_us() -> erlang:nif_error(not_loaded).
