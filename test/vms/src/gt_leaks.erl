%% One leak of each kind among processes that only churn.
-module(gt_leaks).
-export([main/0, state/1, hoarder/1, taker/0, ports/0, tables/0, timers/0, modules/2, deaf/0, churn/4, idle/0]).

-define(EVERY_MS, 20).

main() ->
    [Churning] = gt_control:arguments(),
    Many = list_to_integer(Churning),
    %% Without that their garbage would wait in old heaps for a collection of all, and seem to grow for minutes.
    Churners = [spawn_opt(?MODULE, churn, [Number, 10, Many div 200 + 1, self()], [{fullsweep_after, 2}]) || Number <- lists:seq(1, Many)],
    [receive {warm, Churner} -> ok end || Churner <- Churners],
    register(leaky_state, spawn(?MODULE, state, [[]])),
    register(binary_hoarder, spawn(?MODULE, hoarder, [[]])),
    register(deaf_receiver, spawn(?MODULE, deaf, [])),
    Main = self(),
    spawn(fun() -> ets:new(leaky_table, [named_table, public]), Main ! table, timer:sleep(infinity) end),
    receive table -> ok end,
    register(port_hoarder, spawn(?MODULE, ports, [])),
    register(table_hoarder, spawn(?MODULE, tables, [])),
    register(timer_hoarder, spawn(?MODULE, timers, [])),
    ok = gt_taken:load(),
    register(c_taker, spawn(?MODULE, taker, [])),
    register(module_loader, spawn(?MODULE, modules, [gt_modules:compiled(), 1])),
    spawn(fun() -> leak(0) end),
    gt_control:serve(fun() -> #{} end).

%% Each of its own kind, and nothing in itself.
leak(Number) ->
    deaf_receiver ! {message, Number},
    ets:insert(leaky_table, {Number, lists:seq(1, 50)}),
    _ = list_to_atom("leaked_" ++ integer_to_list(Number)),
    spawn(?MODULE, idle, []),
    persistent_term:put({leaked, Number}, lists:seq(1, 100)),
    timer:sleep(?EVERY_MS),
    leak(Number + 1).

state(Kept) ->
    _ = lists:reverse(lists:seq(1, 100)),
    timer:sleep(?EVERY_MS),
    state([lists:seq(1, 500) | Kept]).

hoarder(Kept) ->
    timer:sleep(?EVERY_MS),
    hoarder([binary:copy(<<"x">>, 2000) | Kept]).

taker() ->
    _ = [gt_taken:take(1000) || _ <- lists:seq(1, 50)],
    timer:sleep(?EVERY_MS),
    taker().

ports() ->
    {ok, _} = gen_udp:open(0),
    timer:sleep(10 * ?EVERY_MS),
    ports().

tables() ->
    _ = ets:new(?MODULE, []),
    timer:sleep(10 * ?EVERY_MS),
    tables().

%% Each who churns has a timer while it sleeps: how many of them do swings by thousands on a busy machine.
timers() ->
    _ = [erlang:send_after(3600000, self(), never) || _ <- lists:seq(1, 30)],
    timer:sleep(?EVERY_MS),
    timers().

modules(Compiled, Number) ->
    Name = gt_modules:name(Number),
    {module, Name} = code:load_binary(Name, "gt_module.erl", gt_modules:renamed(Compiled, Number)),
    timer:sleep(5 * ?EVERY_MS),
    modules(Compiled, Number + 1).

deaf() -> receive never -> ok end.

idle() -> receive stop -> ok end.

%% At first without pauses, until its heap is as large as it will be; then all of them together do as much as some
%% hundred would, each the more seldom.
churn(Seed, Warming, Seldom, Main) ->
    Many = 50 + (Seed * 7919) rem 500,
    Held = [binary:copy(<<Word>>, 100) || Word <- lists:seq(1, Many, 20 * Seldom)],
    _ = length(lists:reverse([{Word, Held} || Word <- lists:seq(1, Many)])),
    Warming =:= 1 andalso (Main ! {warm, self()}),
    Warming =< 1 andalso timer:sleep((50 + Seed rem 200) * Seldom),
    churn((Seed * 1103515245 + 12345) band 16#ffffff, Warming - 1, Seldom, Main).
