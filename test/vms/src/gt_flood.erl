%% A node that sends to another one for ever, and tells what became of who sends.
-module(gt_flood).
-export([main/0]).

main() ->
    [Other] = [list_to_atom(Name) || Name <- gt_control:arguments()],
    gt_control:connect(Other),
    Sender = spawn(fun() -> flood(Other, binary:copy(<<"x">>, 10000)) end),
    gt_control:serve(fun() -> #{sender => element(2, erlang:process_info(Sender, status))} end).

flood(Other, Bytes) ->
    {nobody, Other} ! Bytes,
    timer:sleep(1),
    flood(Other, Bytes).
