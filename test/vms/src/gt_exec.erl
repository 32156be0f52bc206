%% Works until it is asked for a report: then it becomes another program.
-module(gt_exec).
-export([main/0, forever/1]).
-nifs([become_sleep/0]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    spawn_link(?MODULE, forever, [0]),
    gt_control:serve(fun become_sleep/0).

forever(Number) -> forever((Number * 31 + 7) band 16#ffffff).

become_sleep() -> erlang:nif_error(not_loaded).
