%% A VM that does nothing.
-module(gt_idle).
-export([main/0]).

main() -> gt_control:serve(fun() -> #{} end).
