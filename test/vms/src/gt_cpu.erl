%% Processor time of the calling scheduler thread, or of the whole VM: what the measured
%% functions are timed with, because a sampler counts processor time and not the wall's.
-module(gt_cpu).
-export([load/0, start/1, took/2]).
-nifs([thread/0, process/0]).

load() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

%% Clock: thread, or process for work that the VM moves to its dirty schedulers. That one counts
%% all threads, so it needs a VM whose idle schedulers do not spin, and nothing beside.
start(Clock) ->
    {erlang:monotonic_time(nanosecond), read(Clock)}.

%% When the work began and ended (erlang:monotonic_time(nanosecond)), and the processor time it
%% took. A process that was moved to another thread meanwhile has but the wall's time.
took(Clock, {From, {Thread, Before}}) ->
    {ThreadNow, After} = read(Clock),
    To = erlang:monotonic_time(nanosecond),
    case Thread of
        ThreadNow -> {From, To, After - Before};
        _ -> {From, To, To - From}
    end.

read(thread) -> thread();
read(process) -> process().

thread() -> erlang:nif_error(not_loaded).
process() -> erlang:nif_error(not_loaded).
