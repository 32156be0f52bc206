%% Time in static C functions of a NIF library that is stripped, and whose debug file lies elsewhere.
-module(gt_names).
-export([main/0, spin/1, runner/1]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    spawn_link(?MODULE, runner, [20]),
    gt_control:serve(fun() -> #{module => ?MODULE} end).

%% A fifth of the time: some milliseconds, then a rest.
runner(0) ->
    timer:sleep(24),
    runner(20);
runner(Calls) ->
    {spin(30_000)},
    runner(Calls - 1).

spin(_) -> erlang:nif_error(not_loaded).
