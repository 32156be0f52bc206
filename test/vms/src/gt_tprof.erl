%% A load for OTP's own profiler, and that profiler run on it (OTP 27 and later). Argument "load":
%% the load goes on in a process of its own; "tprof": a report runs it for a while under tprof and
%% gives what tprof measured.
%%
%% Counting time costs tprof the same for each call. Every function here does the same work per
%% call and differs in the number of calls, so that cost stretches all of them alike and leaves
%% their order. Each has half as much time again as the next.
-module(gt_tprof).
-export([main/0, passes/1, forever/0]).

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(FOUR(X), ?STEP(?STEP(?STEP(?STEP(X))))).
-define(SIXTEEN(X), ?FOUR(?FOUR(?FOUR(?FOUR(X))))).
-define(WORK(X), begin
    X1 = ?SIXTEEN(X), X2 = ?SIXTEEN(X1), X3 = ?SIXTEEN(X2), X4 = ?SIXTEEN(X3),
    X5 = ?SIXTEEN(X4), X6 = ?SIXTEEN(X5), X7 = ?SIXTEEN(X6), X8 = ?SIXTEEN(X7), X8 end).

main() ->
    case gt_control:arguments() of
        ["load"] ->
            spawn_link(?MODULE, forever, []),
            gt_control:serve(fun() -> #{} end);
        ["tprof", Runs] ->
            gt_control:serve(fun() -> measured(list_to_integer(Runs)) end)
    end.

forever() -> passes(1000), forever().

passes(0) -> ok;
passes(Count) ->
    %% In no order of their lengths.
    e(51, Count), b(15, Count), g(114, Count), a(10, Count), f(76, Count), c(23, Count), d(34, Count),
    passes(Count - 1).

a(0, X) -> X;
a(Count, X) -> a(Count - 1, ?WORK(X)).
b(0, X) -> X;
b(Count, X) -> b(Count - 1, ?WORK(X)).
c(0, X) -> X;
c(Count, X) -> c(Count - 1, ?WORK(X)).
d(0, X) -> X;
d(Count, X) -> d(Count - 1, ?WORK(X)).
e(0, X) -> X;
e(Count, X) -> e(Count - 1, ?WORK(X)).
f(0, X) -> X;
f(Count, X) -> f(Count - 1, ?WORK(X)).
g(0, X) -> X;
g(Count, X) -> g(Count - 1, ?WORK(X)).

%% tprof reads the clock of the machine, so whoever else runs adds time to whichever function it
%% is. Runs are short and many, so that of each function some are undisturbed: the least of them
%% is the function's own.
measured(Runs) ->
    All = [one_run() || _ <- lists:seq(1, Runs)],
    Least = fun(_Function, One, Other) -> min(One, Other) end,
    #{own_us => lists:foldl(fun(Run, Sofar) -> maps:merge_with(Least, Run, Sofar) end, hd(All), tl(All))}.

one_run() ->
    Options = #{type => call_time, report => return, pattern => {?MODULE, '_', '_'}},
    {ok, {call_time, Traces}} = tprof:profile(?MODULE, passes, [60], Options),
    maps:from_list([{iolist_to_binary(io_lib:format("~p:~p/~b", [Module, Function, Arity])), lists:sum([Micros || {_, _, Micros} <- OfPids])}
                    || {Module, Function, Arity, OfPids} <- Traces]).
