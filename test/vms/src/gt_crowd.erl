%% Very many processes at once, which work one after the other, a part of the time.
-module(gt_crowd).
-export([main/0, master/1, member/0, work/2]).

main() ->
    Count = gt_control:integer_argument(1, 100_000),
    spawn_link(?MODULE, master, [Count]),
    gt_control:serve(fun() -> #{processes => erlang:system_info(process_count)} end).

master(Count) -> rounds([{Number, spawn_link(?MODULE, member, [])} || Number <- lists:seq(1, Count)]).

rounds(Members) ->
    [begin Member ! {go, self()}, receive done -> rest_after(Number) end end || {Number, Member} <- Members],
    rounds(Members).

rest_after(Number) when Number rem 200 =:= 0 -> timer:sleep(10);
rest_after(_) -> ok.

member() ->
    receive {go, Master} -> work(2_000, 0), Master ! done end,
    member().

work(0, Sum) -> Sum;
work(Left, Sum) -> work(Left - 1, Sum bxor Left).
