%% Processes that wait for locks of mnesia, in tables in memory. A transaction waits only for later ones, so those that are to
%% wait begin first. The report has what mnesia_locker itself has, and who has to wait for whom.
-module(gt_locks).
-export([main/0]).

main() ->
    {ok, _} = application:ensure_all_started(mnesia),
    [{atomic, ok} = mnesia:create_table(Table, [{ram_copies, [node()]}]) || Table <- [shop, cart, stock, busy, chain]],
    Key = {user, <<"a customer of a name that is longer than a binary on a heap may be, which is 64 bytes">>},
    %% In the order in which they have to begin: the first one waits for all others.
    Names = [writer_0, writer_1, reader, binary, many, whole, behind, chained, caller, holder_chain, ahead, holder_busy,
             holder_whole, holder_many, holder_other, holder_binary, holder],
    Pids = maps:from_list([{Name, transaction(Name)} || Name <- Names]),
    [go(Pids, Name, Fun) || {Name, Fun} <- [
        {holder, fun() -> mnesia:write({shop, 17, holder}) end},
        {holder_binary, fun() -> mnesia:write({shop, Key, holder}) end},
        {holder_many, fun() -> mnesia:read(cart, 1) end},
        {holder_other, fun() -> mnesia:read(cart, 1), [mnesia:write({stock, {part, N}, N}) || N <- lists:seq(1, 3000)] end},
        {holder_whole, fun() -> mnesia:write({stock, 1, 1}) end},
        {holder_busy, fun() -> mnesia:read(busy, 1) end},
        {holder_chain, fun() -> mnesia:write({chain, 1, 1}), gen_server:call(maps:get(caller, Pids), work, infinity) end},
        {ahead, fun() -> mnesia:write({busy, 1, 1}) end},
        {caller, fun() -> mnesia:write({shop, 17, caller}) end},
        {chained, fun() -> mnesia:read(chain, 1) end},
        {behind, fun() -> mnesia:read(busy, 1) end},
        {whole, fun() -> mnesia:write_lock_table(stock) end},
        {many, fun() -> mnesia:write({cart, 1, 1}) end},
        {binary, fun() -> mnesia:read(shop, {user, binary:copy(element(2, Key))}) end},
        {reader, fun() -> mnesia:read(shop, 17) end},
        {writer_1, fun() -> mnesia:write({shop, 17, 1}) end},
        {writer_0, fun() -> mnesia:write({shop, 17, 0}) end}]],
    gt_control:serve(fun() ->
        #{pids => maps:map(fun(_, Pid) -> name(Pid) end, Pids),
          locker => name(whereis(mnesia_locker)),
          queued => length(mnesia_locker:get_lock_queue()),
          held => length(mnesia_locker:get_held_locks())}
    end).

%% One that began, and does what it is sent: in it, and then nothing.
transaction(Name) ->
    Main = self(),
    Pid = spawn(fun() ->
        put('$process_label', Name),
        mnesia:transaction(fun() ->
            Main ! {begun, self()},
            receive {go, Fun} -> Fun() end,
            Main ! {done, self()},
            receive never -> ok end
        end)
    end),
    receive {begun, Pid} -> Pid end.

go(Pids, Name, Fun) ->
    Pid = maps:get(Name, Pids),
    Pid ! {go, Fun},
    settled(Pid).

%% Until it has its locks, or is in the queue for one, or waits for another process with those that it has.
settled(Pid) ->
    receive {done, Pid} -> ok
    after 10 ->
        IsQueued = lists:any(fun(Request) -> lists:keymember(Pid, 3, [Term || Term <- tuple_to_list(Request), is_tuple(Term)]) end,
                             mnesia_locker:get_lock_queue()),
        Calls = process_info(Pid, current_function) =:= {current_function, {gen, do_call, 4}},
        IsQueued orelse Calls orelse settled(Pid)
    end.

name(Pid) -> list_to_binary(pid_to_list(Pid)).
