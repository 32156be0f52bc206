%% A VM of which few schedulers may run: with four, two of which are online (+S 4:2), the process `blocker`
%% blocks multi-scheduling.
-module(gt_schedulers).
-export([main/0, block/1]).

main() ->
    Blocker = spawn_link(?MODULE, block, [self()]),
    receive {Blocker, blocks} -> ok end,
    gt_control:serve(fun truth/0).

block(Parent) ->
    register(blocker, self()),
    erlang:system_flag(multi_scheduling, block),
    Parent ! {self(), blocks},
    receive never -> ok end.

truth() ->
    #{online => erlang:system_info(schedulers_online),
      all => erlang:system_info(schedulers),
      dirty_cpu_online => erlang:system_info(dirty_cpu_schedulers_online),
      dirty_cpu_all => erlang:system_info(dirty_cpu_schedulers),
      multi_scheduling => atom_to_binary(erlang:system_info(multi_scheduling), latin1),
      blockers => [list_to_binary(pid_to_list(Pid)) || Pid <- erlang:system_info(multi_scheduling_blockers)]}.
