%% A VM whose processor time is mostly the kernel's: it reads zeros, and counts a little in between.
-module(gt_kernel).
-export([main/0]).

main() ->
    spawn_link(fun() -> read(zeros()) end),
    spawn_link(fun() -> read(zeros()) end),
    gt_control:serve(fun() -> #{} end).

zeros() ->
    {ok, Zeros} = file:open("/dev/zero", [read, raw, binary]),
    Zeros.

read(Zeros) ->
    {ok, _} = file:read(Zeros, 4 bsl 20),
    _ = lists:sum(lists:seq(1, 2000)),
    read(Zeros).
