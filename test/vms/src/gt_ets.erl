%% ETS: four ways of using one table, each a C function of its own with one caller, but for the
%% fold, which is Erlang code of the standard library over two more.
-module(gt_ets).
-export([main/0, lookups/1, inserts/1, selects/1, folds/1]).

-define(KEYS, 2_000).

main() ->
    gt_ets = ets:new(gt_ets, [named_table, public, ordered_set]),
    ets:insert(gt_ets, [{Key, Key, <<"value">>, [Key]} || Key <- lists:seq(1, ?KEYS)]),
    Slices = gt_slices:start(?MODULE,
                             [{lookups, 4_000, 1}, {inserts, 6_000, 1}, {selects, 3_000, 1}, {folds, 2_000, 1}]),
    gt_control:serve(fun() -> gt_slices:truth(Slices) end).

lookups(Count) -> lookups(Count, []).
lookups(0, Found) -> length(Found);
lookups(Count, _) ->
    Found = ets:lookup(gt_ets, Count rem ?KEYS + 1),
    lookups(Count - 1, Found).

inserts(Count) -> inserts(Count, {1, 2, <<"value">>, [3, 4, 5]}).
inserts(0, Object) -> Object;
inserts(Count, Object) ->
    Key = Count rem ?KEYS + 1,
    true = ets:insert(gt_ets, setelement(1, Object, Key)),
    inserts(Count - 1, Object).

selects(Count) -> selects(Count, [{{'$1', '$2', '_', '_'}, [{'<', '$1', 50}], ['$2']}]).
selects(0, Spec) -> Spec;
selects(Count, Spec) ->
    Selected = ets:select(gt_ets, Spec),
    selects(Count - 1 - length(Selected) div ?KEYS, Spec).

folds(0) -> ok;
folds(Count) ->
    ?KEYS = ets:foldl(fun(_, Sum) -> Sum + 1 end, 0, gt_ets),
    folds(Count - 1).
