%% A benchmark for record-pairs.sh: each run has the same input, from a fixed seed, and counts its work.
%% To be copied to ci/, beside the script. `order/1` and `work/1` are what the project has to say itself.
%%
%%   BUILD   make && erlc +debug_info -o ebin "$GITHUB_WORKSPACE/ci/benchmark.erl"
%%   START   exec erl +S 1:1 +sbwt none -noshell -noinput -pa ebin -s benchmark
%%
%% One file for both commits, from outside of their checkouts: another benchmark would be another program. One scheduler
%% that does not wait busily: nothing but the work takes time.
-module(benchmark).
-export([start/0]).

-define(SEED, {42, 42, 42}).
%% A unit of work is all of them. It should take 10 ms or more, since the counter is written after each.
-define(ORDERS, 20000).

%% Part of the input: use Random alone, and neither the time nor a file that may change.
order(Random) ->
    {Length, Next} = rand:uniform_s(20, Random),
    lists:mapfoldl(fun(_, State) -> rand:uniform_s(1000, State) end, Next, lists:seq(1, Length)).

%% To be replaced by a call of the program.
work(Order) ->
    lists:sum(lists:sort(Order)).

start() ->
    Counter = os:getenv("WORK_COUNTER"),
    Random = rand:seed_s(exsss, ?SEED),
    {Orders, _} = lists:mapfoldl(fun(_, State) -> order(State) end, Random, lists:seq(1, ?ORDERS)),
    spawn(fun() ->
        try
            units(Orders, Counter, 1)
        catch
            Class:Reason:Stack ->
                io:format(standard_error, "~p~n", [{Class, Reason, Stack}]),
                halt(1)
        end
    end).

%% The counter is written by the work and not by the clock: a machine that gives less time adds nothing to a unit.
units(Orders, Counter, Done) ->
    lists:foreach(fun work/1, Orders),
    count(Counter, Done),
    units(Orders, Counter, Done + 1).

count(false, _) ->
    ok;
count(File, Done) ->
    ok = file:write_file(File ++ ".new", integer_to_binary(Done), [raw]),
    ok = file:rename(File ++ ".new", File).
