%% Works for ever, a third of the time, once it has said which process it is to whoever waits for the file. No more, since an
%% emulated machine is slow, and has this beside what is tested.
-module(gt_guest).
-export([main/1, work/1]).

main([File]) ->
    ok = file:write_file(File, os:getpid()),
    turns(0).

turns(Sum) ->
    Next = work({Sum, erlang:monotonic_time(millisecond) + 50}),
    timer:sleep(100),
    turns(Next).

work({Sum, Until}) ->
    case erlang:monotonic_time(millisecond) >= Until of
        true -> Sum rem 1000000000;
        false -> work({lists:sum(lists:seq(1, 100)) + Sum, Until})
    end.
