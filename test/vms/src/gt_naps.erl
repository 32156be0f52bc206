%% Work that comes every few milliseconds: between two pieces of it schedulers wait.
-module(gt_naps).
-export([main/0, naps/1]).

main() ->
    spawn_link(?MODULE, naps, [0]),
    gt_control:serve(fun() -> #{module => ?MODULE} end).

naps(Sum) ->
    Next = lists:foldl(fun(Number, Before) -> (Before * 31 + Number) band 16#ffffff end, Sum, lists:seq(1, 20_000)),
    timer:sleep(4),
    naps(Next).
