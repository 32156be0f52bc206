%% Time in static C functions of a NIF library that is stripped, and whose debug file lies elsewhere.
-module(gt_names).
-export([main/0, spin/1, runner/0]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    spawn_link(?MODULE, runner, []),
    gt_control:serve(fun() -> #{module => ?MODULE} end).

%% A quarter of the time.
runner() ->
    spins(erlang:monotonic_time(millisecond) + 10),
    timer:sleep(30),
    runner().

spins(Until) ->
    {spin(30_000)},
    case erlang:monotonic_time(millisecond) < Until of
        true -> spins(Until);
        false -> ok
    end.

spin(_) -> erlang:nif_error(not_loaded).
