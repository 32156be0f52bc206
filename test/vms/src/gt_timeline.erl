%% What a VM did when: nanoseconds of processor time under each measured function, and units of work done, in
%% buckets of 100 ms since the VM began. A capture has a clock too, so the two can be compared
%% over the very same moments, and moment by moment.
-module(gt_timeline).
-export([new/1, add/3, work/2, report/2]).

-define(BUCKET_NS, 100_000_000).
-define(BUCKETS, 3_000). % five minutes; nothing is noted after that

%% Timeline of so many measured functions.
new(Functions) ->
    Width = Functions + 1,
    {erlang:monotonic_time(nanosecond), Width, counters:new(?BUCKETS * Width, [])}.

%% Function number Index ran from From to To (erlang:monotonic_time(nanosecond)) and took so much
%% processor time, which is spread over the buckets it ran in.
add(Timeline, Index, {From, To, Nanos}) -> add(Timeline, Index, From, To, Nanos, max(1, To - From)).

add(_Timeline, _Index, From, To, _Nanos, _Length) when From >= To -> ok;
add({Start, Width, Counters} = Timeline, Index, From, To, Nanos, Length) ->
    Bucket = (From - Start) div ?BUCKET_NS,
    End = min(To, Start + (Bucket + 1) * ?BUCKET_NS),
    note(Counters, Bucket, Bucket * Width + Index, Nanos * (End - From) div Length),
    add(Timeline, Index, End, To, Nanos, Length).

%% So many units of work were done just now.
work({Start, Width, Counters}, Units) ->
    Bucket = (erlang:monotonic_time(nanosecond) - Start) div ?BUCKET_NS,
    note(Counters, Bucket, (Bucket + 1) * Width, Units).

note(Counters, Bucket, Place, Amount) when Bucket < ?BUCKETS -> counters:add(Counters, Place, Amount);
note(_, _, _, _) -> ok.

%% Names: of the functions, in their order. Rows: one per bucket that is over, with the time of
%% each function and, last, the work.
report({Start, Width, Counters}, Names) ->
    Over = min(?BUCKETS, (erlang:monotonic_time(nanosecond) - Start) div ?BUCKET_NS),
    #{start_unix_ns => Start + erlang:time_offset(nanosecond),
      bucket_ns => ?BUCKET_NS,
      functions => Names,
      rows => [[counters:get(Counters, Bucket * Width + Index) || Index <- lists:seq(1, Width)]
               || Bucket <- lists:seq(0, Over - 1)]}.
