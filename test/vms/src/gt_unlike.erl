%% Two processes on busy schedulers whose stacks are all different: each of some hundred calls is at one of 4,096 lines,
%% drawn anew for each stack. No two samples share a stack, so a capture of them is as large as one can be. The module with
%% the lines is compiled when the VM starts.
-module(gt_unlike).
-export([main/0, forever/1]).

-define(LINES, 4096).
%% Below the 128 frames to which stacks are shortened while much waits.
-define(DEPTH, 110).
%% Of a count to that number, a fraction of a millisecond.
-define(LEAF, 100_000).

main() ->
    {ok, Module, Code} = compile:forms(forms(), []),
    {module, Module} = code:load_binary(Module, "unlike.erl", Code),
    [spawn_link(?MODULE, forever, [Seed]) || Seed <- [1, 2]],
    gt_control:serve(fun() -> #{} end).

forever(Seed) -> forever(unlike:step(Seed band (?LINES - 1), ?DEPTH, Seed)).

%% step(_, 0, Seed) -> count(LEAF, Seed);
%% step(Line, Left, Seed) -> {Next} = {step(drawn line, Left - 1, next seed)}, Next, with a clause for each line.
forms() ->
    [{attribute, 1, file, {"unlike.erl", 1}}, {attribute, 1, module, unlike}, {attribute, 1, export, [{step, 3}]},
     {function, 2, step, 3, [last() | [clause(Line) || Line <- lists:seq(0, ?LINES - 1)]]},
     {function, ?LINES + 10, count, 2,
      [{clause, ?LINES + 10, [{integer, 1, 0}, {var, 1, 'Seed'}], [], [{var, 1, 'Seed'}]},
       {clause, ?LINES + 11, [{var, 1, 'Left'}, {var, 1, 'Seed'}], [],
        [{call, ?LINES + 11, {atom, 1, count}, [minus_one(1), {var, 1, 'Seed'}]}]}]}].

last() ->
    {clause, 2, [{var, 2, '_'}, {integer, 2, 0}, {var, 2, 'Seed'}], [],
     [{call, 2, {atom, 2, count}, [{integer, 2, ?LEAF}, {var, 2, 'Seed'}]}]}.

%% The call is no tail call, since its result goes through a sum.
clause(Number) ->
    At = Number + 5,
    Next = {op, At, 'band',
            {op, At, '+', {op, At, '*', {var, At, 'Seed'}, {integer, At, 1103515245}}, {integer, At, 12345}},
            {integer, At, 16#7fffffff}},
    Line = {op, At, 'band', {op, At, 'bsr', {var, At, 'Drawn'}, {integer, At, 12}}, {integer, At, ?LINES - 1}},
    {clause, At, [{integer, At, Number}, {var, At, 'Left'}, {var, At, 'Seed'}], [],
     [{match, At, {var, At, 'Drawn'}, Next},
      {op, At, 'bxor', {integer, At, Number}, {call, At, {atom, At, step}, [Line, minus_one(At), {var, At, 'Drawn'}]}}]}.

minus_one(At) -> {op, At, '-', {var, At, 'Left'}, {integer, At, 1}}.
