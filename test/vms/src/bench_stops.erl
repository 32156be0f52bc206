%% One process that does nothing but watch how often, and for how long, its scheduler is held up.
%% A report tells of the time since the one before.
-module(bench_stops).
-export([main/0, watcher/1, watch/2]).
-on_load(load/0).

-define(WATCH_NS, 20_000_000).
-define(SHORTEST_NS, 500).

load() ->
    erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), ?MODULE), 0).

watch(_Ns, _ShortestNs) -> erlang:nif_error(not_loaded).

main() ->
    Watcher = spawn_link(?MODULE, watcher, [{0, []}]),
    gt_control:serve(fun() ->
        Watcher ! {self(), report},
        receive {Watcher, {WatchedNs, Stops}} -> #{watched_ns => WatchedNs, stops_ns => lists:append(Stops)} end
    end).

watcher({WatchedNs, Lists} = Seen) ->
    receive
        {From, report} ->
            From ! {self(), Seen},
            watcher({0, []})
    after 0 ->
        {Ns, Stops} = watch(?WATCH_NS, ?SHORTEST_NS),
        %% A native function counts as next to no work: others on this scheduler would wait for seconds.
        erlang:yield(),
        watcher({WatchedNs + Ns, [Stops | Lists]})
    end.
