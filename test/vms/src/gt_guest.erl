%% Works for ever, once it has said which process it is to whoever waits for the file.
-module(gt_guest).
-export([main/1, work/1]).

main([File]) ->
    ok = file:write_file(File, os:getpid()),
    work(0).

work(Sum) when Sum > 1000000000 -> work(0);
work(Sum) -> work(lists:sum(lists:seq(1, 100)) + Sum).
