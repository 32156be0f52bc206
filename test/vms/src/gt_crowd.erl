%% Very many processes at once, which work one after the other.
-module(gt_crowd).
-export([main/0, master/1, member/0, work/2]).

main() ->
    Count = gt_control:integer_argument(1, 100_000),
    spawn_link(?MODULE, master, [Count]),
    gt_control:serve(fun() -> #{processes => erlang:system_info(process_count)} end).

master(Count) -> rounds([spawn_link(?MODULE, member, []) || _ <- lists:seq(1, Count)]).

rounds(Members) ->
    [begin Member ! {go, self()}, receive done -> ok end end || Member <- Members],
    rounds(Members).

member() ->
    receive {go, Master} -> work(2_000, 0), Master ! done end,
    member().

work(0, Sum) -> Sum;
work(Left, Sum) -> work(Left - 1, Sum bxor Left).
