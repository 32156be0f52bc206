%% Two traced functions that call each other as the last thing they do, with return_trace or return_to, or untraced.
%% Below a call that was made last are the VM's own return addresses, up to one for each such call, and then the caller
%% of the first. So the stack is one of
%%
%%     work/2 < there/2 < turns/1 < loop/1      there/2 < turns/1 < loop/1      turns/1 < loop/1      loop/1
%%     work/2 < back/2 < turns/1 < loop/1       back/2 < turns/1 < loop/1       pause/1 < loop/1
%%
%% and never has both of the two, or any function twice.
-module(gt_traced_last).
-export([main/0]).

main() ->
    [Kind | Options] = gt_control:arguments(),
    Pause = case Options of
        ["resting"] -> 20;
        [] -> 0
    end,
    Sink = spawn_link(fun Drop() -> receive _ -> Drop() end end),
    Traced = spawn_link(fun() -> receive go -> loop(Pause) end end),
    trace(list_to_atom(Kind), Traced, Sink),
    Traced ! go,
    gt_control:serve(fun() -> #{kind => list_to_binary(Kind)} end).

trace(none, _, _) -> ok;
trace(return_trace, Traced, Sink) -> messages([call], [{return_trace}], Traced, Sink);
trace(return_to, Traced, Sink) -> messages([call, return_to], [], Traced, Sink).

messages(Flags, Actions, Traced, Sink) ->
    1 = erlang:trace(Traced, true, [{tracer, Sink} | Flags]),
    [1 = erlang:trace_pattern({?MODULE, Function, 2}, [{'_', [], Actions}], [local]) || Function <- [there, back]].

loop(Pause) ->
    turns(50),
    pause(Pause),
    loop(Pause).

pause(0) -> ok;
pause(Milliseconds) -> receive after Milliseconds -> ok end.

turns(0) -> ok;
turns(Count) ->
    there(Count, 20),
    turns(Count - 1).

there(Item, 0) -> Item;
there(Item, Count) ->
    Worked = work(Item, 100),
    back(Worked, Count - 1).

back(Item, 0) -> Item;
back(Item, Count) ->
    Worked = work(Item, 100),
    there(Worked, Count - 1).

work(Item, 0) -> Item;
work(Item, Count) -> work((Item * 31 + Count) rem 1_000_003, Count - 1).
