%% A NIF whose thread starts a thread for each job of 3 ms of processor time; no Erlang code works. With the argument
%% "beside", jobs of 4 to 12 ms, and a process works beside them.
-module(gt_brief_threads).
-export([main/0, start/1, used/0]).

-define(JOB, <<"brief_job">>).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    case gt_control:arguments() of
        ["beside" | _] ->
            Slices = gt_slices:start(gt_erlang, [{half, 10_000, 1}], #{more => [?JOB]}),
            0 = start(1),
            gt_slices:watch(Slices, ?JOB, fun used/0),
            gt_control:serve(fun() -> gt_slices:truth(Slices) end);
        _ ->
            0 = start(0),
            gt_control:serve(fun() -> #{module => ?MODULE} end)
    end.

start(_) -> erlang:nif_error(not_loaded).
used() -> erlang:nif_error(not_loaded).
