%% Two processes that wait in a NIF again and again, on a normal and on a dirty scheduler, and count how often.
-module(gt_dozes).
-export([main/0, nap/1, dirty_nap/1, naps/1, dirty_naps/1]).
-nifs([nap/1, dirty_nap/1]).

-define(MILLISECONDS, 5).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    Done = counters:new(2, [atomics]),
    Nappers = [spawn(fun() -> receive go -> naps(Done) end end), spawn(fun() -> receive go -> dirty_naps(Done) end end)],
    gt_control:serve(
        fun() -> #{nap => counters:get(Done, 1), dirty_nap => counters:get(Done, 2)} end,
        fun() -> [Napper ! go || Napper <- Nappers] end
    ).

%% The time limit lets the scheduler run others.
naps(Done) ->
    nap(?MILLISECONDS),
    counters:add(Done, 1, 1),
    receive after 1 -> naps(Done) end.

dirty_naps(Done) ->
    dirty_nap(?MILLISECONDS),
    counters:add(Done, 2, 1),
    receive after 1 -> dirty_naps(Done) end.

nap(_) -> erlang:nif_error(not_loaded).

dirty_nap(_) -> erlang:nif_error(not_loaded).
