%% Loops that keep a handle (of a table, of counters) wait for anybody; a call by hand keeps the reference of its request.
-module(gt_handles).
-export([main/0, loop/1, call/1]).

main() ->
    _ = [spawn(?MODULE, loop, [Make()]) || _ <- lists:seq(1, 5), Make <- [fun table/0, fun() -> atomics:new(3, []) end, fun() -> counters:new(1, []) end]],
    Deaf = spawn(fun() -> receive never -> ok end end),
    _ = [spawn(?MODULE, call, [Deaf]) || _ <- lists:seq(1, 3)],
    gt_control:serve(fun() -> #{} end).

%% Whoever makes a table has to be there: this process is.
table() -> ets:new(?MODULE, []).

loop(Handle) ->
    receive {take, From} -> From ! Handle end,
    loop(Handle).

call(Whom) ->
    Request = make_ref(),
    Whom ! {self(), Request},
    receive {Request, Answer} -> Answer end.
