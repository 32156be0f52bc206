%% Call tracing as developers' tools do it (dbg, recon_trace, LiveDebugger, eprof, tprof), one kind a run, or none; of the
%% kind `processes`, messages of the processes are traced, and calls of no function. One
%% process works below a traced call and one waits; their stacks are the same with any kind:
%% work/2 < render/2 < handle_event/1 < loop/1, and rests/0 < holds/1 < resting/0.
%%
%% Of the kind `steps`, each report begins more of it and then ends all, and names the functions that the VM has matched.
-module(gt_traced).
-export([main/0, loop/1, pause/1, handle_event/1, render/2, work/2, resting/0, holds/1, rests/0]).

main() ->
    case gt_control:arguments() of
        ["steps"] ->
            Sink = spawn_link(fun Drop() -> receive _ -> Drop() end end),
            put(steps, steps(Sink)),
            gt_control:serve(fun next/0);
        [Kind | Options] ->
            main(Kind, Options)
    end.

next() ->
    case get(steps) of
        [] -> #{};
        [Step | Steps] ->
            put(steps, Steps),
            #{traced => Step()}
    end.

%% Each begins with what the ones before it have begun.
steps(Sink) ->
    Own = {?MODULE, '_', '_'},
    Functions = length(?MODULE:module_info(functions)),
    None = #{traced => 0, reported => 0, counted => 0, timed => 0, measured => 0},
    %% A function, a built-in and a native one by their breakpoints, two by their exported names, one for a meta tracer.
    Reported = None#{traced => 6, reported => 6},
    All = Reported#{traced => 4 + Functions, counted => Functions, timed => Functions},
    [fun() -> None end,
     fun() ->
        sets({?MODULE, render, 2}, [local]),
        sets({erlang, phash2, 1}, [local]),
        sets({prim_file, read_info_nif, 2}, [local]),
        sets({lists, seq, 2}, [global]),
        sets({lists, member, 2}, [global]),
        sets({?MODULE, pause, 1}, [{meta, Sink}]),
        Reported
     end,
     fun() ->
        Functions = erlang:trace_pattern(Own, true, [call_count]),
        Functions = erlang:trace_pattern(Own, true, [call_time]),
        All
     end]
    ++ [fun() ->
        Functions = erlang:trace_pattern(Own, true, [call_memory]),
        All#{measured => Functions}
     end || has(26)]
    ++ [fun() ->
        Session = trace:session_create(?MODULE, Sink, []),
        put(session, Session),
        %% One that is not traced otherwise, one that is by its exported name, one that is counted and reported.
        1 = trace:function(Session, {lists, reverse, 2}, true, [call_count]),
        1 = trace:function(Session, {lists, seq, 2}, true, [local]),
        1 = trace:function(Session, {?MODULE, handle_event, 1}, true, [local]),
        All#{traced => 5 + Functions, reported => 7, counted => 1 + Functions, measured => Functions}
     end || has(27)]
    ++ [fun() ->
        [true = trace:session_destroy(get(session)) || has(27)],
        Kinds = [global, local, meta, call_count, call_time] ++ [call_memory || has(26)],
        [erlang:trace_pattern({'_', '_', '_'}, false, [Kind]) || Kind <- Kinds],
        None
     end].

sets(Function, Flags) ->
    1 = erlang:trace_pattern(Function, true, Flags).

has(Release) ->
    list_to_integer(erlang:system_info(otp_release)) >= Release.

main(Kind, Options) ->
    Pause = case Options of
        ["resting"] -> 20;
        [] -> 0
    end,
    Sink = spawn_link(fun Drop() -> receive _ -> Drop() end end),
    Traced = [begins(traced, loop, [Pause]), begins(sleeper, resting, [])],
    trace(list_to_atom(Kind), Traced, Sink),
    [Process ! go || Process <- Traced],
    gt_control:serve(fun() -> #{kind => list_to_binary(Kind), resting => names(sleeper),
                            functions => length(?MODULE:module_info(functions))} end).

begins(Name, Function, Arguments) ->
    spawn_link(fun() ->
        register(Name, self()),
        receive go -> apply(?MODULE, Function, Arguments) end
    end).

%% What the VM itself answers.
names(Name) ->
    {current_stacktrace, Stack} = process_info(whereis(Name), current_stacktrace),
    [atom_to_binary(Function) || {?MODULE, Function, _, _} <- Stack].

trace(none, _, _) -> ok;
trace(return_trace, Traced, Sink) -> messages([call], [{return_trace}], Traced, Sink);
trace(exception_trace, Traced, Sink) -> messages([call], [{exception_trace}], Traced, Sink);
trace(return_to, Traced, Sink) -> messages([call, return_to], [], Traced, Sink);
trace(together, Traced, Sink) ->
    messages([call, return_to], [{return_trace}], Traced, Sink),
    erlang:trace_pattern({?MODULE, '_', '_'}, true, [call_time]);
trace(call_count, _, _) ->
    erlang:trace_pattern({?MODULE, '_', '_'}, true, [call_count]);
%% As dbg:p(Process, [m, c]) without a pattern: no call is reported.
trace(processes, Traced, Sink) ->
    [erlang:trace(Process, true, [{tracer, Sink}, send, 'receive', call]) || Process <- Traced];
trace(session, Traced, Sink) ->
    Session = trace:session_create(?MODULE, Sink, []),
    put(session, Session),
    [trace:process(Session, Process, true, [call, return_to]) || Process <- Traced],
    [trace:function(Session, {?MODULE, Function, '_'}, [{'_', [], [{return_trace}]}], [local])
        || Function <- [handle_event, holds]],
    trace:function(Session, {?MODULE, '_', '_'}, true, [call_time]);
trace(Accumulates, Traced, _) when Accumulates =:= call_time; Accumulates =:= call_memory ->
    [erlang:trace(Process, true, [call]) || Process <- Traced],
    erlang:trace_pattern({?MODULE, '_', '_'}, true, [Accumulates]).

messages(Flags, Actions, Traced, Sink) ->
    [erlang:trace(Process, true, [{tracer, Sink} | Flags]) || Process <- Traced],
    [erlang:trace_pattern({?MODULE, Function, '_'}, [{'_', [], Actions}], [local])
        || Function <- [handle_event, holds]].

loop(Pause) ->
    handle_event(lists:seq(1, 500)),
    pause(Pause),
    loop(Pause).

pause(0) -> ok;
pause(Milliseconds) -> receive after Milliseconds -> ok end.

handle_event(Items) ->
    Rendered = render(Items, 0),
    Rendered band 1.

render([], Sum) -> Sum;
render([Item | Items], Sum) -> render(Items, Sum + work(Item, 100)).

work(Item, 0) -> Item;
work(Item, Count) -> work((Item * 31 + Count) rem 1_000_003, Count - 1).

resting() ->
    holds(forever),
    resting().

holds(Term) ->
    rests(),
    Term.

rests() ->
    receive never -> ok end,
    ok.
