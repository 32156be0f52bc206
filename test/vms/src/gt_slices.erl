%% Runs functions in turn, in slices of about the wanted length, and adds up the processor time
%% each one took: the truth a sampler is measured against. The slices are milliseconds long, so
%% reading clocks around them costs about a thousandth of the time, and their length varies at
%% random, so that they cannot fall in step with a sampling clock.
-module(gt_slices).
-export([start/2, start/3, truth/1, process/3, watch/3]).

%% Specs: [{Function, SliceMicros, Factor}]: Module:Function(Count) loops Count times;
%% Factor multiplies the count found for SliceMicros (1 for "just that long").
start(Module, Specs) -> start(Module, Specs, #{}).

%% after_each: a function of Module without arguments, called (untimed) after each slice.
%% clock: see gt_cpu.
%% scheduler: the one all slices run on. A slice that is moved to another has but the wall's time.
%% order: shuffled, a new order in every turn. For slices that are short beside the time between two
%% samples: in one order all the time, a turn that is about as long as a few of those times drifts past
%% them so slowly that neighbouring samples see the same function again and again.
%% more: names of functions that work by themselves, whose times are added by watch/3.
start(Module, Specs, Options) ->
    ok = gt_cpu:load(),
    After = maps:get(after_each, Options, none),
    Clock = maps:get(clock, Options, thread),
    Names = [mfa(Module, Function) || {Function, _, _} <- Specs] ++ maps:get(more, Options, []),
    Totals = counters:new(length(Names), []),
    Timeline = gt_timeline:new(length(Names)),
    Order = maps:get(order, Options, as_given),
    Parent = self(),
    Bound = [{scheduler, Number} || {scheduler, Number} <- maps:to_list(Options)],
    Pid = spawn_opt(?MODULE, process, [Module, {Specs, Order, After, {Clock, Totals, Timeline}}, Parent], [link | Bound]),
    receive {Pid, calibrated} -> ok end,
    {Names, Totals, Timeline}.

%% Read: fun() -> nanoseconds that the function of that name has taken so far.
watch({Names, Totals, Timeline}, Name, Read) ->
    [Index] = [Index || {Index, Known} <- lists:zip(lists:seq(1, length(Names)), Names), Known =:= Name],
    spawn_link(fun() -> watched(fun(Ran) ->
        counters:add(Totals, Index, element(3, Ran)),
        gt_timeline:add(Timeline, Index, Ran)
    end, Read, erlang:monotonic_time(nanosecond), Read()) end).

watched(Add, Read, From, Before) ->
    receive after 10 -> ok end,
    {To, After} = {erlang:monotonic_time(nanosecond), Read()},
    Add({From, To, After - Before}),
    watched(Add, Read, To, After).

%% What each function has taken so far: nanoseconds by "module:function/1", in all and by time.
truth({Names, Totals, Timeline}) ->
    Numbered = lists:zip(Names, lists:seq(1, length(Names))),
    #{total_ns => maps:from_list([{Name, counters:get(Totals, Index)} || {Name, Index} <- Numbered]),
      timeline => gt_timeline:report(Timeline, Names)}.

mfa(Module, Function) -> iolist_to_binary(io_lib:format("~p:~p/1", [Module, Function])).

process(Module, {Specs, Order, After, {Clock, _, _} = Truth}, Parent) ->
    rand:seed(exsss, {1, 2, 3}),
    Plan = [{Function, calibrate(Clock, Module, Function, Micros) * Factor, Micros * 1000 * Factor, Index}
            || {{Function, Micros, Factor}, Index} <- lists:zip(Specs, lists:seq(1, length(Specs)))],
    Parent ! {self(), calibrated},
    case Order of
        as_given -> turns(Module, Plan, After, Truth);
        shuffled -> shuffled_turns(Module, Plan, After, Truth)
    end.

turns(Module, Plan, After, Truth) ->
    one_turn(Module, Plan, After, Truth),
    turns(Module, Plan, After, Truth).

shuffled_turns(Module, Plan, After, Truth) ->
    Shuffled = [Slice || {_, Slice} <- lists:sort([{rand:uniform(), Slice} || Slice <- Plan])],
    one_turn(Module, Shuffled, After, Truth),
    shuffled_turns(Module, Plan, After, Truth).

one_turn(_Module, [], _After, _Truth) -> ok;
one_turn(Module, [{Function, Count, Nanos, Index} | Rest], After, {Clock, Totals, Timeline} = Truth) ->
    Percent = 50 + rand:uniform(100),
    {_, _, Took} = Ran = timed(Clock, Module, Function, Count * Percent div 100 + 1),
    counters:add(Totals, Index, Took),
    gt_timeline:add(Timeline, Index, Ran),
    gt_timeline:work(Timeline, Nanos * Percent div 100),
    rest_after(Module, After),
    one_turn(Module, Rest, After, Truth).

rest_after(_Module, none) -> ok;
rest_after(Module, After) -> Module:After().

timed(Clock, Module, Function, Count) ->
    Start = gt_cpu:start(Clock),
    Module:Function(Count),
    gt_cpu:took(Clock, Start).

%% Loops for SliceMicros. The best of three, because anything else only ever adds time.
calibrate(Clock, Module, Function, SliceMicros) ->
    Enough = at_least(Clock, Module, Function, 1, 3_000_000),
    Nanos = lists:min([nanos(Clock, Module, Function, Enough) || _ <- [1, 2, 3]]),
    max(1, SliceMicros * 1000 * Enough div max(1, Nanos)).

at_least(Clock, Module, Function, Count, Nanos) ->
    case nanos(Clock, Module, Function, Count) of
        Took when Took >= Nanos -> Count;
        _ -> at_least(Clock, Module, Function, Count * 2, Nanos)
    end.

nanos(Clock, Module, Function, Count) ->
    {_, _, Nanos} = timed(Clock, Module, Function, Count),
    Nanos.
