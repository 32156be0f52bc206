%% Loops that keep a handle (of a table, of counters) wait for anybody; a call by hand keeps the reference of its request,
%% or the pid of its server, or nothing: then its request may be in the mailbox of the server.
-module(gt_handles).
-export([main/0, loop/1, call/1, serve/1]).

main() ->
    _ = [spawn(?MODULE, loop, [Make()]) || _ <- lists:seq(1, 5), Make <- [fun table/0, fun() -> atomics:new(3, []) end, fun() -> counters:new(1, []) end]],
    Deaf = spawn(fun() -> receive never -> ok end end),
    _ = [spawn(?MODULE, call, [Deaf]) || _ <- lists:seq(1, 3)],
    register(gt_kv, Kv = spawn(fun busy/0)),
    _ = [spawn(fun() -> ask(Kv), done end) || _ <- lists:seq(1, 5)],
    _ = [spawn(fun() -> limited(gt_kv, 3_600_000), done end) || _ <- lists:seq(1, 4)],
    _ = [spawn(fun() -> between(Kv, Deaf), done end) || _ <- lists:seq(1, 2)],
    %% Idle servers, one below its start and one that keeps a pid.
    _ = [proc_lib:spawn(?MODULE, serve, [none]), spawn(?MODULE, serve, [Kv])],
    %% Loops below a call: some wait for an answer to what their server has taken, others for whatever comes.
    register(gt_takes, Takes = spawn(fun takes/0)),
    _ = [spawn(fun() -> poll_loop(Takes), done end) || _ <- lists:seq(1, 6)],
    _ = [spawn(fun() -> idle_loop(none), done end) || _ <- lists:seq(1, 2)],
    gt_control:serve(fun() -> #{kv => name(Kv), takes => name(Takes)} end).

name(Pid) -> list_to_binary(pid_to_list(Pid)).

takes() -> receive {_, get} -> takes() end.

poll_loop(Server) -> Server ! {self(), get}, receive {Server, Answer} -> Answer after 3_600_000 -> poll_loop(Server) end.

%% It may end: the compiler would make the call of a loop without an end the last one of its caller.
idle_loop(_) -> receive {set, New} -> idle_loop(New); stop -> ok end.

busy() -> receive never -> ok end.

ask(Server) -> Server ! {self(), get}, receive {Server, Answer} -> Answer end.

limited(Server, Limit) -> Server ! {self(), get}, receive {reply, Answer} -> Answer after Limit -> timeout end.

%% Asks nobody, and keeps two pids.
between(One, Other) -> receive {One, Answer} -> Answer; {Other, Answer} -> Answer end.

serve(State) -> receive {State, stop} -> ok; {set, New} -> serve(New) end.

%% Whoever makes a table has to be there: this process is.
table() -> ets:new(?MODULE, []).

loop(Handle) ->
    receive {take, From} -> From ! Handle end,
    loop(Handle).

call(Whom) ->
    Request = make_ref(),
    Whom ! {self(), Request},
    receive {Request, Answer} -> Answer end.
