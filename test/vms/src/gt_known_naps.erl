%% Processes that wait in NIFs all the time, each in a function of its own, and count their naps and the nanoseconds of
%% these as the NIF measures them. No timer of the VM is in it.
-module(gt_known_naps).
-export([main/0, load/0, nap/1, dirty_nap/1, short_naps/1, long_naps/1, dirty_naps/1]).
-nifs([nap/1, dirty_nap/1]).

-define(FUNCTIONS, [short_naps, long_naps, dirty_naps]).

load() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    ok = load(),
    Done = counters:new(2 * length(?FUNCTIONS), [atomics]),
    [spawn_link(?MODULE, Function, [Done]) || Function <- ?FUNCTIONS],
    gt_control:serve(fun() ->
        #{
            naps => [counters:get(Done, Place) || Place <- [1, 3, 5]],
            nanoseconds => [counters:get(Done, Place) || Place <- [2, 4, 6]]
        }
    end).

short_naps(Done) ->
    took(Done, 1, nap(1_000)),
    short_naps(Done).

long_naps(Done) ->
    took(Done, 3, nap(4_000)),
    long_naps(Done).

dirty_naps(Done) ->
    took(Done, 5, dirty_nap(20_000)),
    dirty_naps(Done).

took(Done, Place, Nanoseconds) ->
    counters:add(Done, Place, 1),
    counters:add(Done, Place + 1, Nanoseconds),
    erlang:yield().

nap(_) -> erlang:nif_error(not_loaded).

dirty_nap(_) -> erlang:nif_error(not_loaded).
