%% The other side of the tail calls of gt_tail: by a remote call and by a fun.
-module(gt_tail_far).
-export([pang/2]).

pang(Count, X) when Count rem 2 =:= 0 -> gt_tail:ping(Count - 1, (X * 77 + 5) band 16#3ffffff);
pang(Count, X) ->
    Next = fun gt_tail:ping/2,
    Next(Count - 1, (X * 79 + 3) band 16#3ffffff).
