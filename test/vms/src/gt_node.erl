%% A node that connects to those of its arguments, and tells whom it knows.
-module(gt_node).
-export([main/0]).

main() ->
    Others = [list_to_atom(Name) || Name <- gt_control:arguments()],
    lists:foreach(fun(Other) -> spawn(fun() -> gt_control:connect(Other) end) end, Others),
    gt_control:serve(fun known/0).

known() ->
    #{node => node(),
      visible => nodes(),
      hidden => nodes(hidden),
      known => nodes(known)}.
