%% Processes whose messages and events are traced, as dbg:p does it. Each report begins one kind more, in the end one of a
%% second trace session where the release has them, and then ends all; it has how many processes there are of each kind.
-module(gt_trace_flags).
-export([main/0]).

main() ->
    Sink = spawn_link(fun Drop() -> receive _ -> Drop() end end),
    put(steps, steps(Sink)),
    gt_control:serve(fun next/0).

next() ->
    case get(steps) of
        [] -> #{};
        [Step | Steps] ->
            put(steps, Steps),
            Step()
    end.

%% Each begins with what the ones before it have begun.
steps(Sink) ->
    Kinds = [{send, sends}, {'receive', receives}, {procs, events}, {running, scheduling},
             {garbage_collection, collections}],
    None = maps:from_list([{Name, 0} || Name <- [traced | [Name || {_, Name} <- Kinds]]]),
    Processes = [{rests(), Flag} || {Flag, _} <- Kinds],
    {_, Begin} = lists:foldl(
        fun({{Process, Flag}, {Flag, Name}}, {#{traced := Traced} = Before, Steps}) ->
            After = Before#{traced := Traced + 1, Name := 1},
            {After, Steps ++ [fun() ->
                1 = erlang:trace(Process, true, [{tracer, Sink}, Flag]),
                After
             end]}
        end,
        {None, []},
        lists:zip(Processes, Kinds)),
    [{First, send} | _] = Processes,
    All = maps:map(fun(traced, _) -> length(Kinds); (_, _) -> 1 end, None),
    [fun() -> others(Sink), None end]
    ++ Begin
    ++ [fun() ->
        Session = trace:session_create(?MODULE, Sink, []),
        put(session, Session),
        1 = trace:process(Session, First, true, ['receive', garbage_collection]),
        All#{receives := 2, collections := 2}
     end || has_sessions()]
    ++ [fun() ->
        [true = trace:session_destroy(get(session)) || has_sessions()],
        [1 = erlang:trace(Process, false, [Flag]) || {Process, Flag} <- Processes],
        None
     end].

%% Flags by which no message and no event is reported, and a process that may not be traced.
others(Sink) ->
    [1 = erlang:trace(rests(), true, [{tracer, Sink}, Flag])
        || Flag <- [call, silent, arity, timestamp, set_on_spawn, set_on_link]],
    spawn_link(fun() -> process_flag(sensitive, true), rest() end).

rests() -> spawn_link(fun rest/0).

rest() -> receive never -> ok end.

has_sessions() ->
    list_to_integer(erlang:system_info(otp_release)) >= 27.
