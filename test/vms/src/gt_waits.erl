%% Processes that wait for each other in calls: a server that is stuck with its callers, chains, cycles; and
%% what waits and is in no call. The report says who waits for whom.
-module(gt_waits).
-export([main/0, stuck/0, held_up/0, init/1, handle_call/3, handle_cast/2, handle_info/2]).
-behaviour(gen_server).

main() ->
    case gt_control:arguments() of
        ["held", Peer] -> held(Peer);
        Arguments -> waits(Arguments)
    end.

%% Senders to a node that takes nothing any more, and such that monitor a process of it.
held(Peer) ->
    Node = list_to_atom(Peer),
    gt_control:connect(Node),
    Sink = rpc:call(Node, erlang, whereis, [shop_db]),
    Held = [held_by(fun() -> send(Sink, binary:copy(<<Number>>, 100_000)) end) || Number <- lists:seq(1, 10)]
        ++ [held_by(fun() -> send({shop_db, Node}, binary:copy(<<Number>>, 100_000)) end) || Number <- lists:seq(1, 5)]
        ++ [held_by(fun() -> watch(Sink) end) || _ <- lists:seq(1, 3)],
    gt_control:serve(fun() ->
        #{held => [name(Pid) || Pid <- Held],
          suspended => length([Pid || Pid <- Held, process_info(Pid, status) =:= {status, suspended}])}
    end).

held_by(Fun) -> spawn(fun() -> put('$process_label', shop_sender), Fun() end).

send(To, What) -> To ! What, timer:sleep(20), send(To, What).
watch(Pid) -> demonitor(monitor(process, Pid), [flush]), timer:sleep(20), watch(Pid).

waits([Wanted | Peer]) ->
    Callers = list_to_integer(Wanted),
    {ok, Stuck} = gen_server:start({local, shop_db}, ?MODULE, [], []),
    spawn(fun() -> gen_server:call(Stuck, stick, infinity) end),
    Limited = ring(2, 3_600_000),
    Rings = [ring(2, infinity), ring(3, infinity), Limited],
    Orphans = orphans(5),
    Far = remote(Peer),
    Edges = [{caller(Stuck, limit(Number)), Stuck} || Number <- lists:seq(1, Callers)]
        ++ chain(Stuck) ++ lists:append(Rings) ++ starting() ++ tables() ++ Far,
    Named = named(Peer),
    Plain = [plain(Stuck) || _ <- lists:seq(1, 30)],
    timer:sleep(300),
    gt_control:serve(fun() ->
        #{stuck => name(Stuck),
          far => case Far of [] -> null; [{_, Server} | _] -> name(Server) end,
          rings => [[name(From) || {From, _} <- Ring] || Ring <- Rings],
          orphans => [name(Pid) || Pid <- Orphans],
          limited_ring => [name(From) || {From, _} <- Limited],
          edges => [[name(From), name(To)] || {From, To} <- Edges],
          %% By name on another node, which the VM's own monitors say, too.
          named => [[name(From), iolist_to_binary(io_lib:format("{~s,~s}", [Name, Node]))]
                    || From <- Named, {monitors, [{process, {Name, Node}}]} <- [process_info(From, monitors)]],
          plain => [name(Pid) || Pid <- Plain]}
    end).

%% Half of the callers wait for ever, and keep their server's pid nowhere.
limit(Number) when Number rem 2 =:= 0 -> infinity;
limit(_) -> 3_600_000.

caller(Server, Limit) -> spawn(fun() -> put('$process_label', shop_web), gen_server:call(Server, work, Limit) end).

%% One that calls one that calls one that is stuck.
chain(Stuck) ->
    {ok, Middle} = gen_server:start({local, shop_cart}, ?MODULE, [], []),
    gen_server:cast(Middle, {call, Stuck, infinity}),
    [{caller(Middle, infinity), Middle}, {Middle, Stuck}].

ring(Size, Limit) ->
    Servers = [element(2, gen_server:start(?MODULE, [], [])) || _ <- lists:seq(1, Size)],
    Pairs = lists:zip(Servers, tl(Servers) ++ [hd(Servers)]),
    [gen_server:cast(From, {call, To, Limit}) || {From, To} <- Pairs],
    Pairs.

%% One that waits for what it starts.
starting() ->
    Parent = spawn(fun() -> proc_lib:start_link(?MODULE, held_up, []) end),
    timer:sleep(50),
    {links, [Child]} = process_info(Parent, links),
    [{Parent, Child}].

%% Processes that have a file for others, as if its disk were slow.
tables() ->
    File = "/tmp/gt_waits." ++ os:getpid(),
    Dets = started(dets, fun() -> {ok, _} = dets:open_file(gt_table, [{file, File ++ ".dets"}, {ram_file, true}]) end),
    Log = started(disk_log, fun() -> {ok, _} = disk_log:open([{name, gt_log}, {file, File ++ ".log"}]) end),
    file:delete(File ++ ".log"),
    [gt_suspend:suspend(Pid) || Pid <- [Dets, Log]],
    [{spawn(fun() -> dets:lookup(gt_table, key) end), Dets},
     {spawn(fun() -> dets:insert(gt_table, {key, value}) end), Dets},
     {spawn(fun() -> disk_log:log(gt_log, entry) end), Log}].

%% The one process of a module that opening something starts.
started(Module, Open) ->
    Before = processes(),
    Open(),
    [Pid] = [Pid || Pid <- processes() -- Before, initial_module(process_info(Pid, dictionary)) =:= Module],
    Pid.

initial_module({dictionary, Dictionary}) ->
    case proplists:get_value('$initial_call', Dictionary) of
        {Module, _, _} -> Module;
        _ -> none
    end;
initial_module(undefined) -> none.

%% Their server has ended, and they are suspended: what they keep of it is its pid.
orphans(Many) ->
    {ok, Server} = gen_server:start(?MODULE, [], []),
    spawn(fun() -> gen_server:call(Server, stick, infinity) end),
    timer:sleep(50),
    Callers = [caller(Server, limit(Number)) || Number <- lists:seq(1, Many)],
    timer:sleep(50),
    [gt_suspend:suspend(Caller) || Caller <- Callers],
    exit(Server, kill),
    Callers.

remote([]) -> [];
remote([Peer]) ->
    Node = list_to_atom(Peer),
    gt_control:connect(Node),
    Server = rpc:call(Node, erlang, whereis, [shop_db]),
    [{caller(Server, limit(Number)), Server} || Number <- lists:seq(1, 4)].

named([]) -> [];
named([Peer]) ->
    Node = list_to_atom(Peer),
    Callers = [spawn(fun() -> gen_server:call({shop_db, Node}, work, limit(Number)) end) || Number <- lists:seq(1, 4)],
    timer:sleep(100),
    Callers.

%% Waits for anything, and keeps a reference of a monitor while it does.
plain(Stuck) -> spawn(fun() -> Reference = monitor(process, Stuck), receive {stop, Reference} -> ok; stop -> Stuck end end).

held_up() -> receive never -> ok end.
stuck() -> receive never -> ok end.

init(_) -> {ok, none}.
handle_call(stick, _, State) -> stuck(), {reply, ok, State};
handle_call(_, _, State) -> {reply, ok, State}.
handle_cast({call, Other, Limit}, State) ->
    timer:sleep(50),
    gen_server:call(Other, hello, Limit),
    {noreply, State}.
handle_info(_, State) -> {noreply, State}.

name(Pid) -> list_to_binary(pid_to_list(Pid)).
