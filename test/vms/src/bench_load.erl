%% The load of the benchmark: four processes, enough for two schedulers, doing units of mixed
%% work (Erlang arithmetic and recursion, list sorting, built-in functions, messages,
%% garbage), from fixed seeds. Prints the units done every half second.
-module(bench_load).
-export([main/0, worker/2, echo/0, ticker/2, rest/0, units/2]).

main() ->
    Units = counters:new(1, [write_concurrency]),
    Workers = gt_control:integer_argument(1, 4),
    [spawn_link(?MODULE, worker, [Seed, Units]) || Seed <- lists:seq(1, Workers)],
    spawn_link(?MODULE, ticker, [Units, erlang:monotonic_time(millisecond)]),
    [spawn_link(?MODULE, rest, []) || _ <- lists:seq(1, gt_control:integer_argument(2, 0))],
    gt_control:serve(fun() -> #{units => counters:get(Units, 1), polled => poll()} end).

rest() -> receive stop -> ok end.

%% What tools that run in a node ask of each process for a table of them.
poll() ->
    Items = [registered_name, initial_call, current_function, memory, message_queue_len, reductions, dictionary],
    length([Info || Pid <- processes(), Info <- [process_info(Pid, Items)], Info =/= undefined]).

%% Says how fast work was done in the last half second, and how much was done so far, in how much
%% time and in how much processor time of the VM: who keeps two lines knows each rate between them.
ticker(Units, At) ->
    ticker(Units, At, 0, erlang:monotonic_time(microsecond)).

ticker(Units, At, CountBefore, BeforeUs) ->
    Next = At + 500,
    receive after max(0, Next - erlang:monotonic_time(millisecond)) -> ok end,
    {CpuMs, _} = erlang:statistics(runtime),
    {Count, Us} = {counters:get(Units, 1), erlang:monotonic_time(microsecond)},
    Rate = (Count - CountBefore) * 1.0e6 / (Us - BeforeUs),
    gt_control:say(#{units_per_s => Rate, units => Count, ms => Us / 1000, cpu_ms => CpuMs}),
    ticker(Units, Next, Count, Us).

worker(Seed, Units) ->
    units(Seed, fun() -> counters:add(Units, 1, 1) end).

%% Does units without end, and calls Done after each.
units(Seed, Done) ->
    rand:seed(exsss, {Seed, 17, 23}),
    Echo = spawn_link(?MODULE, echo, []),
    Table = ets:new(bench_load, [set]),
    units(Echo, Table, Done).

units(Echo, Table, Done) ->
    unit(Echo, Table),
    Done(),
    units(Echo, Table, Done).

unit(Echo, Table) ->
    Numbers = [rand:uniform(1000) || _ <- lists:seq(1, 100)],
    Sorted = lists:sort(Numbers),
    Sum = fib(12) + lists:sum(Sorted),
    Encoded = term_to_binary({Sum, Sorted}),
    {Sum, Sorted} = binary_to_term(Encoded),
    ets:insert(Table, {Sum rem 100, Sorted, Encoded}),
    Found = ets:lookup(Table, Sum rem 100),
    Echo ! {self(), Found},
    receive {Echo, Hash} -> Hash end,
    Map = maps:from_list([{Number, [Number]} || Number <- Sorted]),
    maps:fold(fun(Key, [Value], Total) -> Key + Value + Total end, 0, Map).

echo() ->
    receive {From, Term} -> From ! {self(), erlang:phash2(Term)} end,
    echo().

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
