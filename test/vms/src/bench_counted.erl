%% One process that does the units of bench_load one after the other. After each, the count, the processor time of its
%% thread and the time are in the file of the first argument, so a reader outside needs nothing of the VM. For a VM with
%% one scheduler: its thread does all of the work.
-module(bench_counted).
-export([main/0, worker/0, share/1, done/0]).
-on_load(load/0).

load() ->
    erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), ?MODULE), 0).

share(_Path) -> erlang:nif_error(not_loaded).

done() -> erlang:nif_error(not_loaded).

main() ->
    [Path | _] = gt_control:arguments(),
    %% The file is there before anyone learns that the VM is.
    true = share(Path),
    spawn_link(?MODULE, worker, []),
    gt_control:serve(fun() -> #{} end).

worker() -> bench_load:units(1, fun done/0).
