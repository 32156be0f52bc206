%% Each function in which a process waits for the answer of one other, made to wait. The report says who waits in
%% which for whom, by what the VM says of monitors and links; and who waits for several, or for nobody.
-module(gt_calls).
-export([main/0, deaf/0, start/2, stop/1, init/1, terminate/2]).

main() ->
    put(cases, []),
    [Case() || Case <- [
        fun requests/0, fun remote_calls/0, fun io/0, fun starts/0, fun ends/0, fun children/0,
        fun handler/0, fun cursor/0, fun pool/0, fun in_c/0, fun handed_on/0, fun code_being_loaded/0, fun tasks/0, fun application/0, fun purging/0, fun file_being_opened/0]],
    Plain = [name(Pid) || Pid <- several()],
    settled(get(cases)),
    gt_control:serve(fun() ->
        #{cases => [[Call, name(From), name(To(From))] || {Call, From, To} <- get(cases)], plain => Plain,
          had => [name(Pid) || Pid <- get(had)], unfound => length(get(unfound)),
          in_c => [[name(Pid), mfa(process_info(Pid, current_function))] || Pid <- get(in_c)]}
    end).

deaf() -> receive never -> ok end.
deaf_process() -> spawn(?MODULE, deaf, []).
stubborn() -> process_flag(trap_exit, true), deaf().

%% To is told when the report is made: some start whom they wait for.
waits(Call, Fun) -> waits(Call, Fun, fun related/1).
waits(Call, Fun, To) -> waiting(Call, spawn(Fun), To).
waiting(Call, From, To) when is_pid(To) -> waiting(Call, From, fun(_) -> To end);
waiting(Call, From, To) -> put(cases, [{Call, From, To} | get(cases)]).

%% The one that it has a monitor on, or else a link with.
related(From) ->
    {monitors, Monitors} = process_info(From, monitors),
    {links, Links} = process_info(From, links),
    case {lists:usort([Pid || {process, Pid} <- Monitors]), Links} of
        {[One], _} -> One;
        {[], [One]} -> One;
        _ -> none
    end.

%% Each does nothing but wait; one that has ended is an error of this test's own.
settled(Cases) ->
    [] = [Call || {Call, From, _} <- Cases, not is_process_alive(From)],
    case [Call || {Call, From, _} <- Cases, process_info(From, status) =/= {status, waiting}] of
        [] -> timer:sleep(300);
        _ -> timer:sleep(20), settled(Cases)
    end.

exported(Module, Function, Arity) ->
    {module, Module} = code:ensure_loaded(Module),
    erlang:function_exported(Module, Function, Arity).

limits() -> [infinity, 3600000].

requests() ->
    Request = fun(Deaf) -> gen_server:send_request(Deaf, question) end,
    [begin
        A = deaf_process(),
        waits(<<"gen:wait_response/2">>, fun() -> gen_server:wait_response(Request(A), Limit) end, A),
        B = deaf_process(),
        exported(gen_server, receive_response, 2) andalso
            waits(<<"gen:receive_response/2">>, fun() -> gen_server:receive_response(Request(B), Limit) end, B),
        C = deaf_process(),
        waits(<<"gen:do_call/4">>, fun() -> gen_event:call(C, ?MODULE, question, Limit) end, C),
        D = deaf_process(),
        waits(<<"gen:do_call/4">>, fun() -> sys:get_state(D, Limit) end, D),
        E = deaf_process(),
        waits(<<"gen:do_call/4">>, fun() -> gen_statem:call(E, question, {dirty_timeout, Limit}) end, E)
     end || Limit <- limits()],
    F = deaf_process(),
    Clean = fun() -> gen_statem:call(F, question, {clean_timeout, 3600000}) end,
    %% Later ones need no process between for that.
    case erlang:system_info(otp_release) of
        "23" -> waits(<<"gen_statem:call_clean/4">>, Clean);
        _ -> waits(<<"gen:do_call/4">>, Clean, F)
    end,
    %% It waits for a process that calls; later ones wait for several at once.
    register(gt_deaf, deaf_process()),
    erlang:system_info(otp_release) >= "27" orelse
        waits(<<"gen_server:do_multi_call/4">>, fun() -> gen_server:multi_call([node()], gt_deaf, question, 3600000) end).

remote_calls() ->
    [begin
        waits(<<"erpc:receive_response/2">>, fun() -> erpc:receive_response(erpc:send_request(node(), ?MODULE, deaf, []), Limit) end),
        waits(<<"erpc:wait_response/2">>, fun() -> erpc:wait_response(erpc:send_request(node(), ?MODULE, deaf, []), Limit) end)
     end || Limit <- limits()],
    %% Without a limit it runs what is called by itself.
    waits(<<"erpc:call/5">>, fun() -> erpc:call(node(), ?MODULE, deaf, [], 3600000) end),
    waits(<<"erpc:call/5">>, fun() -> rpc:call(node(), ?MODULE, deaf, [], 3600000) end),
    waits(<<"rpc:do_srv_call/3">>, fun() -> rpc:block_call(node(), ?MODULE, deaf, [], 3600000) end).

io() ->
    Call = case erlang:system_info(otp_release) of "23" -> <<"io:execute_request/2">>; _ -> <<"io:execute_request/3">> end,
    [A, B, C] = [deaf_process() || _ <- [1, 2, 3]],
    waits(Call, fun() -> io:format(A, "~p", [question]) end, A),
    waits(Call, fun() -> io:get_line(B, "") end, B),
    waits(<<"file:file_request/2">>, fun() -> file:position(C, 0) end, C).

starts() ->
    waits(<<"proc_lib:sync_start/2">>, fun() -> proc_lib:start(?MODULE, deaf, []) end),
    waits(<<"proc_lib:sync_start_monitor/2">>, fun() -> proc_lib:start_monitor(?MODULE, deaf, []) end),
    Link = case erlang:system_info(otp_release) >= "27" of true -> <<"proc_lib:sync_start/2">>; false -> <<"proc_lib:sync_start_link/2">> end,
    waits(Link, fun() -> proc_lib:start_link(?MODULE, deaf, []) end),
    waits(Link, fun() -> proc_lib:start_link(?MODULE, deaf, [], 3600000) end).

%% It has said that it will end, and does not.
ends() ->
    [begin
        {ok, Server} = gen_server:start(?MODULE, server, []),
        waits(<<"proc_lib:stop/3">>, fun() -> proc_lib:stop(Server, normal, Limit) end)
     end || Limit <- limits()].

terminate(_, _) -> deaf().

init(server) -> {ok, none};
init(Shutdown) ->
    Child = #{id => child, start => {erlang, apply, [fun() -> {ok, spawn_link(fun stubborn/0)} end, []]}, shutdown => Shutdown},
    {ok, {#{}, [Child]}}.

children() ->
    Call = case erlang:system_info(otp_release) of "23" -> <<"supervisor:shutdown/2">>; _ -> <<"supervisor:shutdown/1">> end,
    [begin
        {ok, Supervisor} = supervisor:start_link(?MODULE, Shutdown),
        [{child, Child, _, _}] = supervisor:which_children(Supervisor),
        waits(<<"gen:do_call/4">>, fun() -> supervisor:terminate_child(Supervisor, child) end, Supervisor),
        waiting(Call, Supervisor, Child)
     end || Shutdown <- limits()].

start(_, _) -> {ok, spawn_link(fun stubborn/0)}.
stop(_) -> ok.

application() ->
    ok = application:load({application, gt_application, [{mod, {?MODULE, []}}, {applications, []}, {modules, []}, {registered, []}]}),
    ok = application:start(gt_application),
    Master = application_controller:get_master(gt_application),
    waits(<<"gen:do_call/4">>, fun() -> application:stop(gt_application) end, whereis(application_controller)),
    %% Later ones go on meanwhile.
    erlang:system_info(otp_release) >= "29" orelse
        waiting(<<"application_master:call/2">>, whereis(application_controller), Master).

%% A log whose file's disk is slow.
handler() ->
    File = file("log"),
    ok = logger:add_handler(gt_handler, logger_std_h, #{config => #{file => File, filesync_repeat_interval => no_repeat}}),
    Handler = whereis(logger_std_h_gt_handler),
    {links, Links} = process_info(Handler, links),
    [Disk] = [Pid || Pid <- Links, is_pid(Pid), Pid =/= whereis(logger_sup)],
    gt_suspend:suspend(Disk),
    waits(<<"gen:do_call/4">>, fun() -> synchronise(Handler) end, Handler),
    waiting(<<"logger_std_h:file_ctrl_call/2">>, Handler, Disk),
    file:delete(File).

%% The handler waits some seconds at a time.
synchronise(Handler) ->
    gen_server:call(Handler, filesync, infinity),
    synchronise(Handler).

cursor() ->
    waits(<<"qlc:monitor_request/2">>, fun() ->
        Cursor = qlc:cursor(qlc:string_to_handle("[X || X <- [1, 2, 3]].")),
        [Pid] = [Pid || Pid <- tuple_to_list(element(2, Cursor)), is_pid(Pid), Pid =/= self()],
        gt_suspend:suspend(Pid),
        qlc:next_answers(Cursor, 1)
    end).

%% A pipe that nobody writes to: who opens it waits for the file server, which waits for the process that has the file.
%% Late, as is the application, since whoever needs these servers waits for them from then on.
file_being_opened() ->
    File = file("pipe"),
    [] = os:cmd("mkfifo " ++ File),
    Server = whereis(file_server_2),
    waits(<<"gen:do_call/4">>, fun() -> file:open(File, [read]) end, Server),
    waiting(<<"file_io_server:do_start/4">>, Server, fun related/1).

%% A process that waits in C, by what the VM says of it, and those that ask it by signals, which it takes later.
in_c() ->
    File = file("raw"),
    [] = os:cmd("mkfifo " ++ File),
    Opener = spawn(fun() -> file:open(File, [raw, read]) end),
    put(in_c, [Opener]),
    wait_until(fun() -> process_info(Opener, current_function) =:= {current_function, {prim_file, open_nif, 2}} end),
    waits(<<"erlang:garbage_collect/2">>, fun() -> erlang:garbage_collect(Opener) end, Opener),
    waits(<<"erlang:suspend_process/1">>, fun() -> erlang:suspend_process(Opener) end, Opener),
    waits(<<"erlang:suspend_process/2">>, fun() -> erlang:suspend_process(Opener, [unless_suspending]) end, Opener).

wait_until(Holds) ->
    case Holds() of
        true -> ok;
        false -> timer:sleep(10), wait_until(Holds)
    end.

mfa({current_function, {Module, Function, Arity}}) -> iolist_to_binary(io_lib:format("~s:~s/~b", [Module, Function, Arity]));
mfa(undefined) -> <<"ended">>.

%% As a pool of DBConnection is asked: a monitor, a message, and an answer by its reference.
pool() ->
    Module = 'Elixir.DBConnection.Holder',
    {ok, Tokens, _} = erl_scan:string(
        "checkout_call(Pool, Callers, Queue, Start, _) -> "
        "Lock = erlang:monitor(process, Pool), Pool ! {db_connection, {self(), Lock}, {checkout, Callers, Start, Queue}}, "
        "receive {Lock, Reply} -> Reply; {'DOWN', Lock, _, _, Reason} -> {exit, Reason} end."),
    {ok, Checkout} = erl_parse:parse_form(Tokens),
    {ok, Module, Code} = compile:forms([{attribute, 1, module, Module}, {attribute, 1, export, [{checkout_call, 5}]}, Checkout]),
    {module, Module} = code:load_binary(Module, "holder", Code),
    Pool = deaf_process(),
    waits(<<"DBConnection.Holder.checkout_call/5">>, fun() -> Module:checkout_call(Pool, [], true, 0, 0) end, Pool).

%% Late, since whoever loads code waits for it from then on.
purging() ->
    Purger = whereis(erts_code_purger),
    gt_suspend:suspend(Purger),
    waits(<<"erts_code_purger:purge/1">>, fun() -> erts_code_purger:purge(gt_nothing) end, Purger),
    waits(<<"erts_code_purger:soft_purge/1">>, fun() -> erts_code_purger:soft_purge(gt_nothing) end, Purger).

file(Name) -> "/tmp/gt_calls." ++ os:getpid() ++ "." ++ Name.

%% Servers that hand requests on. The one that has them has or had them, as far as can be known, where it waits for more.
handed_on() ->
    Ask = fun(Server, Limit, To) ->
        From = spawn(fun() -> gen_server:call(Server, question, Limit) end),
        waiting(<<"gen:do_call/4">>, From, To),
        From
    end,
    To = fun(Server) -> fun(From) -> maps:get(From, sys:get_state(Server)) end end,
    {ok, Each} = gen_server:start(gt_handed_on, each, []),
    [Ask(Each, Limit, To(Each)) || Limit <- limits()],
    %% The second one waits in the mailbox.
    {ok, Pool} = gen_server:start(gt_handed_on, worker, []),
    [Ask(Pool, Limit, To(Pool)) || Limit <- limits()],
    {ok, Dispatcher} = gen_server:start(gt_handed_on, {to, each}, []),
    To2 = fun(From) -> maps:get(From, sys:get_state(maps:get(to, sys:get_state(Dispatcher)))) end,
    [Ask(Dispatcher, Limit, To2) || Limit <- limits()],
    {ok, Keeper} = gen_server:start(gt_handed_on, {to, keeper}, []),
    put(had, [Ask(Keeper, Limit, To(Keeper)) || Limit <- limits()]),
    %% One is in the table, and a process has the other one that the server does not know.
    Table = ets:new(gt_requests, [public]),
    spawn(gt_handed_on, take, [Table]),
    {ok, Lister} = gen_server:start(gt_handed_on, {table, Table}, []),
    put(unfound, [Ask(Lister, Limit, Lister) || Limit <- limits()]).

%% Modules that are not done when they are loaded: whoever loads one waits for the process that runs its function.
code_being_loaded() ->
    [begin
        {ok, Tokens, _} = erl_scan:string("go() -> register(" ++ atom_to_list(Name) ++ ", self()), receive never -> ok end."),
        {ok, Go} = erl_parse:parse_form(Tokens),
        {ok, Module, Code} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, on_load, {go, 0}}, Go]),
        waits(<<"code_server:call/1">>, fun() -> code:load_binary(Module, atom_to_list(Name), Code) end, fun(_) ->
            wait_until(fun() -> whereis(Name) =/= undefined end),
            whereis(Name)
        end)
     end || Name <- [gt_never_loaded, gt_never_loaded_either]].

tasks() ->
    case filelib:is_dir("/usr/lib/elixir/lib/elixir/ebin") of
        false -> ok;
        true ->
            true = code:add_pathz("/usr/lib/elixir/lib/elixir/ebin"),
            {ok, _} = application:ensure_all_started(elixir),
            [Await, Yield, Shutdown] = case exported('Elixir.Task', await, 2) andalso erlang:system_info(otp_release) >= "27" of
                true -> [<<"Task.await_receive/3">>, <<"Task.yield_receive/3">>, <<"Task.shutdown_receive/5">>];
                false -> [<<"Task.await/2">>, <<"Task.yield/2">>, <<"Task.shutdown_receive/4">>]
            end,
            Task = fun(Fun) -> 'Elixir.Task':async(Fun) end,
            [waits(Await, fun() -> 'Elixir.Task':await(Task(fun deaf/0), Limit) end) || Limit <- limits()],
            waits(Yield, fun() -> 'Elixir.Task':yield(Task(fun deaf/0), 3600000) end),
            waits(Shutdown, fun() ->
                Caller = self(),
                Stubborn = Task(fun() -> process_flag(trap_exit, true), Caller ! stubborn, deaf() end),
                receive stubborn -> ok end,
                'Elixir.Task':shutdown(Stubborn, 3600000)
            end)
    end.

%% For any of several, and for nobody.
several() ->
    [A, B] = [deaf_process(), deaf_process()],
    [spawn(fun() -> erpc:multicall([node(), node()], ?MODULE, deaf, []) end),
     spawn(fun() -> monitor(process, A), monitor(process, B), receive {'DOWN', _, _, _, _} -> ok end end),
     spawn(fun() -> timer:sleep(3600000) end),
     A, B].

name(none) -> <<"not known">>;
name(Pid) -> list_to_binary(pid_to_list(Pid)).
