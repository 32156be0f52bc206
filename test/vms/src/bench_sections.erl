%% Does fixed work in sections, again and again, and knows what each takes of the processor: a driver for
%% projects that are not here. The module DRIVER exports `sections/0`, a list of names, and for each name a
%% function without arguments, which is called so that it is a frame of its own.
%%
%% erl … -run bench_sections start DRIVER COUNT_FILE
%%   a line on standard output when it works, COUNT_FILE: rounds that are done; a line on standard input ends it:
%%   it prints [{"rounds":N},{"name":…,"cpu_us":…}] and ends.
-module(bench_sections).
-export([start/1, section/3]).

%% Rounds before the first that is counted: what is loaded and what grows.
-define(SETTLING, 3).

start([Driver, File]) ->
    Module = list_to_atom(Driver),
    Names = Module:sections(),
    Parent = self(),
    Worker = spawn_link(fun() ->
        Clock = scheduler_clock(),
        _ = [section(Module, Name, Clock) || _ <- lists:seq(1, ?SETTLING), Name <- Names],
        Parent ! warm,
        rounds(Module, Names, Clock, File, 0, [0 || _ <- Names])
    end),
    receive warm -> ok end,
    io:format("ready ~s~n", [os:getpid()]),
    _ = io:get_line(""),
    Worker ! {stop, self()},
    receive
        {sums, Rounds, Sums} ->
            Rows = [io_lib:format(",{\"name\":\"~s\",\"cpu_us\":~w}", [Name, Sum / 1000]) || {Name, Sum} <- lists:zip(Names, Sums)],
            io:format("[{\"rounds\":~w}~s]~n", [Rounds, Rows]),
            halt(0)
    end.

rounds(Module, Names, Clock, File, Round, Sums) ->
    %% Whoever reads it meanwhile reads a number.
    ok = prim_file:write_file(File ++ ".next", integer_to_list(Round)),
    ok = prim_file:rename(File ++ ".next", File),
    receive
        {stop, From} -> From ! {sums, Round, Sums}
    after 0 ->
        Next = [section(Module, Name, Clock) + Sum || {Name, Sum} <- lists:zip(Names, Sums)],
        rounds(Module, Names, Clock, File, Round + 1, Next)
    end.

%% The call is no tail call, and no collection of one section is left for the next.
section(Module, Name, Clock) ->
    erlang:garbage_collect(),
    Before = cpu_ns(Clock),
    _ = Module:Name(),
    After = cpu_ns(Clock),
    After - Before.

%% What the thread of the one scheduler has run.
cpu_ns(Clock) ->
    {ok, Text} = prim_file:read_file(Clock),
    [Ns | _] = binary:split(Text, <<" ">>),
    binary_to_integer(Ns).

scheduler_clock() ->
    Tasks = "/proc/self/task/",
    {ok, Ids} = prim_file:list_dir(Tasks),
    [Clock] = [Tasks ++ Id ++ "/schedstat" || Id <- Ids, is_scheduler(prim_file:read_file(Tasks ++ Id ++ "/comm"))],
    Clock.

is_scheduler({ok, <<"erts_sched_1\n">>}) -> true;
is_scheduler({ok, <<"1_scheduler\n">>}) -> true;
is_scheduler(_) -> false.
