%% What a row of the matrix (test/matrix) looks at: processes of gt_bif's mode `exact`, whose stacks are known, beside
%% processes at rest, and what the VM itself counts. main/1 writes that to a file each second: a VM in an emulated
%% machine has nobody at its standard input.
-module(gt_matrix).
-export([main/0, main/1, rest/1]).

-define(RESTING, 100).

main() ->
    Resting = start(gt_control:integer_argument(1, 1)),
    gt_control:serve(fun() -> report(Resting) end).

main([File | Busy]) ->
    Resting = start(case Busy of [] -> 1; [Count] -> list_to_integer(atom_to_list(Count)) end),
    Fresh = atom_to_list(File) ++ ".fresh",
    write(File, Fresh, Resting).

write(File, Fresh, Resting) ->
    timer:sleep(1000),
    ok = file:write_file(Fresh, gt_control:json(maps:merge(gt_control:ready(), report(Resting)))),
    ok = file:rename(Fresh, File),
    write(File, Fresh, Resting).

start(Busy) ->
    register(gt_bif_receiver, spawn_link(gt_bif, receiver, [])),
    Timeline = gt_timeline:new(0),
    Rounds = counters:new(1, []),
    [spawn_link(gt_bif, exact_process, [{Rounds, Timeline}]) || _ <- lists:seq(1, Busy)],
    Resting = [spawn_link(?MODULE, rest, [lists:seq(1, Number * 50)]) || Number <- lists:seq(1, ?RESTING)],
    timer:sleep(200),
    Resting.

rest(Held) ->
    receive stop -> length(Held) end.

report(Resting) ->
    #{processes => erlang:system_info(process_count),
      resting => [#{pid => list_to_binary(pid_to_list(Pid)), memory => element(2, process_info(Pid, memory))} || Pid <- Resting]}.
