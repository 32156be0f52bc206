%% Work that depends on the pid of the process that does it.
-module(gt_parity).
-export([calibrate/1, live/2, names/0]).

names() -> [<<"gt_parity:even_life/2">>, <<"gt_parity:odd_life/2">>].

%% Steps of an even life of so many nanoseconds: less than the 4,000 reductions after which
%% another process would have its turn.
calibrate(Nanos) ->
    ok = gt_cpu:load(),
    Steps = 10_000,
    Took = lists:min([nanos(Steps) || _ <- lists:seq(1, 5)]),
    max(2, Steps * Nanos div Took).

nanos(Steps) ->
    Start = gt_cpu:start(thread),
    even_life(Steps, 1),
    {_, _, Nanos} = gt_cpu:took(thread, Start),
    Nanos.

%% Lives as the caller's pid says and notes how long that took.
live(Timeline, Life) ->
    Number = own_number(),
    Steps = varied(Number, Life),
    Start = gt_cpu:start(thread),
    case Number rem 2 of
        0 -> even_life(Steps, 1);
        1 -> odd_life(Steps div 2, 1)
    end,
    gt_timeline:add(Timeline, Number rem 2 + 1, gt_cpu:took(thread, Start)).

%% A quarter to seven quarters of a life. If all were about the same, the program would march in
%% step with the clock that samples it: any sampler with a fixed period, perf among them, then sees
%% some places too often.
varied(Number, Life) -> max(2, Life * (25 + erlang:phash2(Number, 151)) div 100).

%% The N of <0.N.0>.
own_number() ->
    [_, Number, _] = string:lexemes(pid_to_list(self()), "."),
    list_to_integer(Number).

-define(STEP(X), ((X) * 1103515 + 12345) band 16#3ffffff).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).
-define(MANY(X), ?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(?EIGHT(X))))))))).

even_life(0, X) -> X;
even_life(Count, X) -> even_life(Count - 1, ?MANY(X)).

odd_life(0, X) -> X;
odd_life(Count, X) -> odd_life(Count - 1, ?MANY(X)).
