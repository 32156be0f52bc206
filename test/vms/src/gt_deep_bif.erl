%% A process that calls a built-in function below N frames of recursion (first argument): every
%% sample in that function has exactly N + 1 frames of descend/2 under it.
-module(gt_deep_bif).
-export([main/0, process/2, bottom/2]).

main() ->
    Depth = gt_control:integer_argument(1, 1000),
    spawn_link(?MODULE, process, [Depth, lists:seq(1, 5_000)]),
    gt_control:serve(fun() -> #{depth => Depth, work => <<"gt_deep_bif:bottom/2">>} end).

process(Depth, Term) ->
    true = is_integer(descend(Depth, Term)),
    process(Depth, Term).

descend(0, Term) ->
    Result = bottom(200, Term),
    Result + 1;
descend(Depth, Term) ->
    Result = descend(Depth - 1, Term),
    Result + 1.

bottom(0, _) -> 0;
bottom(Count, Term) ->
    Hash = erlang:phash2(Term),
    true = Hash >= 0,
    bottom(Count - 1, Term).
