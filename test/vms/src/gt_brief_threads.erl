%% A NIF whose thread starts a thread for each job of 3 ms of processor time; no Erlang code works.
-module(gt_brief_threads).
-export([main/0, start/0]).

main() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    0 = start(),
    gt_control:serve(fun() -> #{module => ?MODULE} end).

start() -> erlang:nif_error(not_loaded).
