%% A mailbox that fills and empties in turn, or a run queue that fills for a while, each time it is asked.
-module(gt_surge).
-export([main/0, deaf/0, spin/2, work/0]).

-define(MESSAGES, 5000).
-define(SPINNERS, 60).
-define(SPIN_MS, 3000).

main() ->
    [What] = gt_control:arguments(),
    Deaf = spawn(?MODULE, deaf, []),
    spawn(?MODULE, work, []),
    gt_control:serve(fun() -> surge(What, Deaf) end).

surge("mailbox", Deaf) ->
    case erlang:process_info(Deaf, message_queue_len) of
        {message_queue_len, 0} ->
            [Deaf ! {work, Number} || Number <- lists:seq(1, ?MESSAGES)],
            #{pid => list_to_binary(pid_to_list(Deaf)), waiting => ?MESSAGES};
        _ ->
            Deaf ! {drain, self()},
            receive drained -> ok end,
            #{pid => list_to_binary(pid_to_list(Deaf)), waiting => 0}
    end;
surge("runqueue", _) ->
    Until = erlang:monotonic_time(millisecond) + ?SPIN_MS,
    [spawn_opt(?MODULE, spin, [0, Until], [{priority, low}]) || _ <- lists:seq(1, ?SPINNERS)],
    #{spinning => ?SPINNERS}.

%% A little all the time, so that there is something to sample.
work() ->
    _ = lists:sort([erlang:phash2({Number, x}) || Number <- lists:seq(1, 3000)]),
    timer:sleep(15),
    work().

deaf() ->
    receive {drain, From} -> drain(), From ! drained end,
    deaf().

drain() -> receive _ -> drain() after 0 -> ok end.

spin(X, Until) ->
    case X band 16#fffff =:= 0 andalso erlang:monotonic_time(millisecond) > Until of
        true -> ok;
        false -> spin(X + 1, Until)
    end.
