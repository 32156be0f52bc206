%% A VM that has freed large heaps and keeps their segments for later. The report says how many it keeps.
-module(gt_segments).
-export([main/0]).

main() ->
    Holders = [spawn(fun() -> hold(lists:seq(1, 400_000)) end) || _ <- lists:seq(1, 20)],
    [begin Holder ! {ready, self()}, receive ready -> ok end end || Holder <- Holders],
    [exit(Holder, kill) || Holder <- Holders],
    gt_control:serve(fun() -> #{cached => cached()} end).

hold(List) -> receive {ready, From} -> From ! ready, hold(List) end.

%% Of all instances; they give them back one after the other.
cached() ->
    lists:sum([proplists:get_value(cached_segments, Status) ||
        {instance, _, Instance} <- erlang:system_info({allocator, mseg_alloc}),
        {memkind, Kind} <- Instance,
        {status, Status} <- Kind]).
