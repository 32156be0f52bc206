%% Runs functions in turn, in slices of about the wanted length, and adds up the wall time
%% each one took: the truth a sampler is measured against. The slices are milliseconds
%% long, so reading the clock around them costs far less than a thousandth of the time, and
%% their length varies at random, so that they cannot fall in step with a sampling clock.
-module(gt_slices).
-export([start/2, start/3, shares/1, process/3]).

%% Specs: [{Function, SliceMicros, Factor}]: Module:Function(Count) loops Count times;
%% Factor multiplies the count found for SliceMicros (1 for "just that long").
start(Module, Specs) -> start(Module, Specs, none).

%% After: none or a function of Module without arguments, called (untimed) after each slice.
start(Module, Specs, After) ->
    Totals = counters:new(length(Specs), []),
    Parent = self(),
    Pid = spawn_link(?MODULE, process, [Module, {Specs, After, Totals}, Parent]),
    receive {Pid, calibrated} -> ok end,
    {[Function || {Function, _, _} <- Specs], Module, Totals}.

%% What each function has taken so far: nanoseconds, by "module:function/1".
shares({Functions, Module, Totals}) ->
    Numbered = lists:zip(Functions, lists:seq(1, length(Functions))),
    maps:from_list([{mfa(Module, Function), counters:get(Totals, Index)}
                    || {Function, Index} <- Numbered]).

mfa(Module, Function) -> iolist_to_binary(io_lib:format("~p:~p/1", [Module, Function])).

process(Module, {Specs, After, Totals}, Parent) ->
    rand:seed(exsss, {1, 2, 3}),
    Plan = [{Function, calibrate(Module, Function, Micros) * Factor, Index}
            || {{Function, Micros, Factor}, Index} <- lists:zip(Specs, lists:seq(1, length(Specs)))],
    Parent ! {self(), calibrated},
    turns(Module, Plan, After, Totals).

turns(Module, Plan, After, Totals) ->
    one_turn(Module, Plan, After, Totals),
    turns(Module, Plan, After, Totals).

one_turn(_Module, [], _After, _Totals) -> ok;
one_turn(Module, [{Function, Count, Index} | Rest], After, Totals) ->
    Varied = Count * (50 + rand:uniform(100)) div 100 + 1,
    Nanos = timed(Module, Function, Varied),
    counters:add(Totals, Index, Nanos),
    rest_after(Module, After),
    one_turn(Module, Rest, After, Totals).

rest_after(_Module, none) -> ok;
rest_after(Module, After) -> Module:After().

timed(Module, Function, Count) ->
    Start = erlang:monotonic_time(nanosecond),
    Module:Function(Count),
    erlang:monotonic_time(nanosecond) - Start.

%% Loops for SliceMicros. The best of three, because anything else only ever adds time.
calibrate(Module, Function, SliceMicros) ->
    Enough = at_least(Module, Function, 1, 3_000_000),
    Nanos = lists:min([timed(Module, Function, Enough) || _ <- [1, 2, 3]]),
    max(1, SliceMicros * 1000 * Enough div Nanos).

at_least(Module, Function, Count, Nanos) ->
    case timed(Module, Function, Count) of
        Took when Took >= Nanos -> Count;
        _ -> at_least(Module, Function, Count * 2, Nanos)
    end.
