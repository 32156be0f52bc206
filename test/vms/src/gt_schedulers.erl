%% A VM of which few schedulers may run: with four, two of which are online (+S 4:2), the process `blocker`
%% blocks multi-scheduling. As many processes as the first argument has share the scheduler that is left, and collect
%% garbage.
-module(gt_schedulers).
-export([main/0, block/1, busy/1]).

main() ->
    Blocker = spawn_link(?MODULE, block, [self()]),
    receive {Blocker, blocks} -> ok end,
    [spawn_link(?MODULE, busy, [lists:seq(1, 1_000)]) || _ <- lists:seq(1, gt_control:integer_argument(1, 0))],
    gt_control:serve(fun truth/0).

block(Parent) ->
    register(blocker, self()),
    erlang:system_flag(multi_scheduling, block),
    Parent ! {self(), blocks},
    receive never -> ok end.

busy(Numbers) ->
    busy(lists:reverse(Numbers)).

truth() ->
    #{online => erlang:system_info(schedulers_online),
      all => erlang:system_info(schedulers),
      dirty_cpu_online => erlang:system_info(dirty_cpu_schedulers_online),
      dirty_cpu_all => erlang:system_info(dirty_cpu_schedulers),
      multi_scheduling => atom_to_binary(erlang:system_info(multi_scheduling), latin1),
      blockers => [list_to_binary(pid_to_list(Pid)) || Pid <- erlang:system_info(multi_scheduling_blockers)]}.
