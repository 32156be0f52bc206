%% A code-reload storm: one module in two versions whose functions have other sizes and
%% places, loaded and purged N times a second (first argument) while processes run in it.
-module(gt_reload).
-export([main/0, reloader/4, runner/0]).

main() ->
    PerSecond = gt_control:integer_argument(1, 20),
    Versions = {version(1), version(2)},
    Loads = counters:new(1, []),
    load(element(1, Versions)),
    spawn_link(?MODULE, reloader, [Versions, 2, 1000 div PerSecond, Loads]),
    [spawn(?MODULE, runner, []) || _ <- [1, 2]],
    gt_control:serve(fun() -> #{loads => counters:get(Loads, 1), module => gt_reloaded} end).

reloader(Versions, Next, PauseMillis, Loads) ->
    timer:sleep(PauseMillis),
    load(element(Next, Versions)),
    counters:add(Loads, 1, 1),
    reloader(Versions, 3 - Next, PauseMillis, Loads).

%% Processes that still run the old code are killed by the purge, as in any Erlang node;
%% the runners only make short calls into the module and so live on.
load(Binary) ->
    code:purge(gt_reloaded),
    {module, gt_reloaded} = code:load_binary(gt_reloaded, "gt_reloaded.erl", Binary).

runner() ->
    gt_reloaded:work(20_000, 1),
    gt_reloaded:other_work(5_000, 1),
    runner().

%% Version 2 has twenty functions more, in front, and longer bodies.
version(Number) ->
    Step = "(X * 1103515 + 12345) band 16#3ffffff",
    Longer = lists:flatten(lists:duplicate(Number - 1, " + (X * 77 band 16#ff) + (X bsr 3)")),
    Fillers = ["filler_" ++ integer_to_list(I) || Number =:= 2, I <- lists:seq(1, 20)],
    Sources =
        ["-module(gt_reloaded).", "-export([work/2, other_work/2]).", "-compile(nowarn_unused_function)."]
        ++ ["-export([" ++ Filler ++ "/1])." || Filler <- Fillers]
        ++ [Filler ++ "(X) -> {X, " ++ Step ++ "}." || Filler <- Fillers]
        ++ ["work(0, X) -> X; work(N, X) -> work(N - 1, (" ++ Step ++ Longer ++ ") band 16#3ffffff).",
            "other_work(0, X) -> X; other_work(N, X) -> Y = other_work(N - 1, " ++ Step ++ "), Y + 1."],
    Forms = [form(Source) || Source <- Sources],
    {ok, gt_reloaded, Binary} = compile:forms([{attribute, 1, file, {"gt_reloaded.erl", 1}} | Forms], []),
    Binary.

form(Source) ->
    {ok, Tokens, _} = erl_scan:string(Source),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
