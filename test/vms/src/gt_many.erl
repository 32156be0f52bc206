%% Some 10,000 processes that all work now and then, each as its pid says (see gt_brief).
-module(gt_many).
-export([main/0, master/2, member/2]).

%% So many times AT_ONCE.
-define(PROCESSES, 102 * ?AT_ONCE).
%% An odd number, as in gt_brief.
-define(AT_ONCE, 99).

main() ->
    Timeline = gt_timeline:new(2),
    Steps = gt_parity:calibrate(20_000),
    spawn_link(?MODULE, master, [Timeline, Steps]),
    gt_control:serve(fun() -> #{processes => ?PROCESSES,
                                timeline => gt_timeline:report(Timeline, gt_parity:names())} end).

master(Timeline, Steps) ->
    rounds(Timeline, [spawn_link(?MODULE, member, [Timeline, Steps]) || _ <- lists:seq(1, ?PROCESSES)]).

rounds(Timeline, Members) ->
    round(Timeline, Members),
    rounds(Timeline, Members).

round(_Timeline, []) -> ok;
round(Timeline, Members) ->
    {Some, Rest} = lists:split(?AT_ONCE, Members),
    [Member ! {go, self()} || Member <- Some],
    [receive done -> ok end || _ <- Some],
    gt_timeline:work(Timeline, ?AT_ONCE),
    round(Timeline, Rest).

member(Timeline, Steps) ->
    receive
        {go, Master} ->
            gt_parity:live(Timeline, Steps),
            Master ! done
    end,
    member(Timeline, Steps).
