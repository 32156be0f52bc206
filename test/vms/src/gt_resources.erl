%% A process that makes resources and drops them, so that a scheduler calls their destructors; and that calls the function of
%% one of these itself. Its library is loaded at the first report: the VM had no such type before.
-module(gt_resources).
-export([main/0]).
-nifs([make/1, call/0]).

main() ->
    gt_control:serve(fun() ->
        case whereis(gt_resources) of
            undefined ->
                ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
                register(gt_resources, spawn(fun loop/0));
            _ -> ok
        end,
        #{}
    end).

make(_) -> erlang:nif_error(not_loaded).
call() -> erlang:nif_error(not_loaded).

loop() ->
    _ = [make(Kind) || Kind <- [0, 1, 2, 3]],
    garbage_collect(),
    _ = call(),
    timer:sleep(20),
    loop().
