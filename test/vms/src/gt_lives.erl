%% Processes to which something happens while they are sampled, one kind a run: they are suspended
%% and resumed, they fail or return and take long to end, they go from scheduler to scheduler, or their
%% work is that of a port. Whose work is whose follows from the pid or from the functions.
-module(gt_lives).
-export([main/0, keeper/0, replacer/1, host/0, leave/0, suspended/1, suspender/1, mortal/2, fail/2, creator/0, wanderer/0, wander/2, mover/0,
         even/2, odd/2, porter/0, carry/2]).

main() ->
    [Kind] = gt_control:arguments(),
    error_logger:tty(false),
    begin_kind(list_to_existing_atom(Kind)),
    gt_control:serve(fun() -> #{kind => list_to_binary(Kind)} end).

begin_kind(suspended) ->
    Workers = [spawn_link(?MODULE, suspended, [lists:seq(1, 2_000)]) || _ <- [1, 2]],
    spawn_link(?MODULE, suspender, [Workers]);
begin_kind(exiting) -> spawn_link(?MODULE, creator, []);
begin_kind(leaving) -> spawn_link(?MODULE, host, []);
begin_kind(replacing) ->
    persistent_term:put(gt_lives, lists:seq(0, 1_000)),
    [spawn_link(?MODULE, keeper, []) || _ <- lists:seq(1, 2_000)],
    spawn_link(?MODULE, replacer, [1]);
begin_kind(wandering) ->
    [spawn_link(?MODULE, wanderer, []) || _ <- lists:seq(1, 20)],
    spawn_link(?MODULE, mover, []);
begin_kind(port) -> spawn_link(?MODULE, porter, []).

suspended(Held) ->
    _ = erlang:phash2(Held),
    suspended(Held).

%% A process is suspended in whatever it is doing.
suspender(Workers) ->
    [true = erlang:suspend_process(Worker) || Worker <- Workers],
    [true = erlang:resume_process(Worker) || Worker <- Workers],
    suspender(Workers).

%% To end takes long: monitors to fire, messages to drop, a table to delete, a heap to free.
creator() ->
    Mortals = [spawn(?MODULE, mortal, [self(), 5]) || _ <- lists:seq(1, 4)],
    Monitors = [[monitor(process, Mortal) || _ <- lists:seq(1, 200)] || Mortal <- Mortals],
    [Mortal ! die || Mortal <- Mortals],
    [receive {'DOWN', Monitor, process, _, _} -> ok end || Monitor <- lists:append(Monitors)],
    creator().

mortal(Creator, 0) ->
    Table = ets:new(gt_lives_table, []),
    ets:insert(Table, [{Key, Creator} || Key <- lists:seq(1, 500)]),
    receive die -> fail(Creator, lists:seq(1, 500)) end;
mortal(Creator, Depth) ->
    mortal(Creator, Depth - 1) + Depth.

%% Refers to a persistent term until it is collected because that was replaced.
keeper() ->
    Term = persistent_term:get(gt_lives),
    receive stop -> Term end.

%% Each time, all processes are searched for the term that was there.
replacer(Number) ->
    persistent_term:put(gt_lives, lists:seq(Number, Number + 1_000)),
    timer:sleep(10),
    replacer(Number + 1).

%% One after the other returns, and leaves a table that takes long to delete.
host() ->
    {_, Monitor} = spawn_monitor(?MODULE, leave, []),
    receive {'DOWN', Monitor, process, _, _} -> host() end.

leave() ->
    fill(ets:new(gt_lives_table, []), 50_000).

fill(_, 0) -> ok;
fill(Table, Key) ->
    ets:insert(Table, {Key, Key}),
    fill(Table, Key - 1).

fail(Creator, Held) ->
    Number = length(Held),
    Creator = Number.

wanderer() ->
    [_, Number, _] = string:lexemes(pid_to_list(self()), "."),
    wander(list_to_integer(Number) rem 2, lists:seq(1, 300)).

%% All of them on one scheduler, then on two again.
mover() ->
    [begin
         erlang:system_flag(schedulers_online, Count),
         timer:sleep(20)
     end || Count <- [1, 2]],
    mover().

wander(0, Held) ->
    even(20, Held),
    erlang:yield(),
    wander(0, Held);
wander(1, Held) ->
    odd(20, Held),
    erlang:yield(),
    wander(1, Held).

even(0, _) -> ok;
even(Count, Held) ->
    _ = erlang:phash2(Held),
    even(Count - 1, Held).

odd(0, _) -> ok;
odd(Count, Held) ->
    _ = lists:reverse(Held, Count),
    odd(Count - 1, Held).

%% Both ends of a connection: the driver of sockets is a port's.
porter() ->
    Options = [binary, {packet, 4}, {ip, {127, 0, 0, 1}}],
    {ok, Listen} = gen_tcp:listen(0, Options),
    {ok, Number} = inet:port(Listen),
    {ok, Out} = gen_tcp:connect({127, 0, 0, 1}, Number, Options),
    {ok, In} = gen_tcp:accept(Listen),
    carry(Out, In).

carry(Out, In) ->
    ok = gen_tcp:send(Out, binary:copy(<<"data">>, 20_000)),
    receive {tcp, In, _} -> ok end,
    carry(Out, In).
