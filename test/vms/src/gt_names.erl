%% Time in static C functions of a NIF library that is stripped, and whose debug file lies elsewhere.
-module(gt_names).
-export([main/0, spin/1, runner/0]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    spawn_link(?MODULE, runner, []),
    gt_control:serve(fun() -> #{module => ?MODULE} end).

%% All of the time: a look at any moment sees it.
runner() ->
    {spin(30_000)},
    runner().

spin(_) -> erlang:nif_error(not_loaded).
