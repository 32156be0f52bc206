%% Garbage collection with two known causes: one function that makes short-lived garbage,
%% and one that makes garbage while it holds a large live structure, so that its
%% collections have to copy. Truth: time under each function, collections included.
%% With the argument "resting" it works a fifth of the time.
-module(gt_gc).
-export([main/0, short_lived/1, while_holding/1, rest/0]).

main() ->
    Options = case gt_control:arguments() of
        ["resting"] -> #{clock => process, after_each => rest};
        [] -> #{clock => process}
    end,
    Slices = gt_slices:start(?MODULE, [{short_lived, 4_000, 1}, {while_holding, 12_000, 1}], Options),
    gt_control:serve(
      fun() ->
              {Collections, Words, _} = erlang:statistics(garbage_collection),
              (gt_slices:truth(Slices))#{collections => Collections, words => Words}
      end).

rest() -> timer:sleep(32).

short_lived(0) -> ok;
short_lived(Count) ->
    1000 = length(numbers(1000, [])),
    short_lived(Count - 1).

while_holding(Count) ->
    while_holding(Count, pairs(20_000, [])).

while_holding(0, Held) -> length(Held);
while_holding(Count, Held) ->
    1000 = length(numbers(1000, [])),
    while_holding(Count - 1, Held).

%% Not by a list comprehension: that recurses 20,000 deep, further than a stack is read.
pairs(0, Tail) -> Tail;
pairs(Number, Tail) -> pairs(Number - 1, [{Number, [Number]} | Tail]).

numbers(0, Tail) -> Tail;
numbers(Number, Tail) -> numbers(Number - 1, [Number | Tail]).
