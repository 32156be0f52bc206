%% A code-reload storm: one module in two versions whose functions have other sizes, places and
%% lines, loaded and purged N times a second (first argument) while processes run in it.
%%
%% Each version calls back through a function of this module, which is never reloaded: that frame
%% tells of every stack which version it is of. Version 1 has the lines up to 99, version 2 those
%% from 1001 on.
-module(gt_reload).
-export([main/0, reloader/4, keeper/0, runner/0, bystander/0, in_version_1/1, in_version_2/1]).

main() ->
    PerSecond = gt_control:integer_argument(1, 20),
    Versions = [version(Number, Size) || Size <- [0, 9, 2, 5, 14, 3, 11], Number <- [1, 2]],
    Loads = counters:new(1, []),
    load(hd(Versions)),
    spawn_link(?MODULE, reloader, [Versions, 1000 div PerSecond, erlang:monotonic_time(millisecond), Loads]),
    spawn_link(?MODULE, keeper, []),
    register(gt_bystander, spawn_link(?MODULE, bystander, [])),
    gt_control:serve(fun() -> #{loads => counters:get(Loads, 1), module => gt_reloaded} end).

%% Keeps to the clock: the next load is due an interval after the last was, whatever it took.
reloader([Now, Next | Versions], IntervalMillis, LastDue, Loads) ->
    process_flag(priority, max),
    Due = LastDue + IntervalMillis,
    timer:sleep(max(0, Due - erlang:monotonic_time(millisecond))),
    load(Next),
    counters:add(Loads, 1, 1),
    reloader([Next | Versions] ++ [Now], IntervalMillis, Due, Loads).

%% What code:load_binary/3 does, but for waiting for the code server, which waits for everyone.
load(Binary) ->
    erts_code_purger:purge(gt_reloaded),
    {module, gt_reloaded} = erlang:load_module(gt_reloaded, Binary).

%% Processes that still run the old code are killed by the purge, as in any Erlang node. The
%% runner only makes short calls into the module, but on a busy machine even these take long.
keeper() ->
    {_, Monitor} = spawn_monitor(?MODULE, runner, []),
    receive {'DOWN', Monitor, process, _, _} -> keeper() end.

%% Runs code that nothing happens to, a part of the time.
bystander() ->
    in_depth(200, lists:seq(1, 200)),
    timer:sleep(1),
    bystander().

in_depth(0, List) -> lists:foldl(fun(X, Sum) -> X + Sum end, 0, List);
in_depth(N, List) -> 1 + in_depth(N - 1, List) + lists:sum(List).

runner() ->
    gt_reloaded:work(20_000, 1),
    gt_reloaded:other_work(5_000, 1),
    runner().

in_version_1(Work) -> {Work()}.

in_version_2(Work) -> {Work()}.

%% Version 2 has twenty functions more, in front, and longer bodies. Both come in several sizes, so
%% that one takes the place of the other in memory, and never quite the same.
version(Number, Size) ->
    Step = "(X * 1103515 + 12345) band 16#3ffffff",
    Longer = lists:flatten(lists:duplicate(Number - 1, " + (X * 77 band 16#ff) + (X bsr 3)")),
    Fillers = ["filler_" ++ integer_to_list(I) || I <- lists:seq(1, 20 * (Number - 1) + Size)],
    Back = "gt_reload:in_version_" ++ integer_to_list(Number),
    Sources =
        ["-module(gt_reloaded).", "-export([work/2, other_work/2]).", "-compile(nowarn_unused_function)."]
        ++ ["-export([" ++ Filler ++ "/1])." || Filler <- Fillers]
        ++ [Filler ++ "(X) -> {X, " ++ Step ++ "}." || Filler <- Fillers]
        ++ ["work(N, X) ->\n {Y} = " ++ Back ++ "(fun() ->\n loop(N, X)\n end),\n Y.",
            "loop(0, X) -> X;\nloop(N, X) ->\n loop(N - 1, (" ++ Step ++ Longer ++ ") band 16#3ffffff).",
            "other_work(N, X) ->\n {Y} = " ++ Back ++ "(fun() ->\n deep(N, X)\n end),\n Y.",
            "deep(0, X) -> X;\ndeep(N, X) ->\n Y = deep(N - 1, " ++ Step ++ "),\n Y + 1."],
    First = 1 + 1000 * (Number - 1),
    Lines = [First + 2 * I || I <- lists:seq(1, length(Sources))],
    Forms = lists:zipwith(fun form/2, Sources, Lines),
    {ok, gt_reloaded, Binary} = compile:forms([{attribute, 1, file, {"gt_reloaded.erl", 1}} | Forms], []),
    Binary.

form(Source, Line) ->
    {ok, Tokens, _} = erl_scan:string(Source, Line),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
