%% Work on dirty CPU schedulers that comes in bursts, for as many of them as the argument says: between two bursts
%% these schedulers wait. Dirty I/O schedulers have nothing to do.
-module(gt_dirty_naps).
-export([main/0, naps/1]).

main() ->
    ok = gt_nif:load(),
    [Count] = gt_control:arguments(),
    [spawn_link(?MODULE, naps, [Number]) || Number <- lists:seq(1, list_to_integer(Count))],
    gt_control:serve(fun() -> #{module => ?MODULE} end).

naps(Number) ->
    [gt_nif:dirty_cpu(Number) || _ <- [first, second]],
    timer:sleep(8),
    naps(Number).
