%% Servers that hand requests on: to a process for each; to a worker that takes one after the other, so that others wait in
%% its mailbox; to a dispatcher that starts a process for each; to a process that keeps them and goes on waiting; or by a
%% table, to a process that the server does not know. The state has, by caller, the process to which the request went, and
%% the requests of a dispatcher.
-module(gt_handed_on).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2, answer/1, work/0, take/1]).

init(each) -> {ok, #{}};
init(keeper) -> {ok, #{keep => true}};
init(worker) -> {ok, #{to => spawn_opt(?MODULE, work, [], [link, {message_queue_data, off_heap}])}};
init({table, Table}) -> {ok, #{table => Table}};
init({to, Kind}) ->
    {ok, Server} = gen_server:start_link(?MODULE, Kind, []),
    {ok, #{to => Server}}.

handle_call(_, From, State) -> {noreply, taken(From, State)}.
handle_cast({request, From}, State) -> {noreply, taken(From, State)}.

taken(From, #{table := Table} = State) -> ets:insert(Table, {From}), State;
taken({Caller, _} = From, #{keep := true} = State) -> State#{Caller => self(), {request, Caller} => From};
taken({Caller, _} = From, #{to := To} = State) ->
    gen_server:cast(To, {request, From}),
    State#{Caller => To};
taken({Caller, _} = From, State) ->
    State#{Caller => spawn_link(?MODULE, answer, [From]), {request, Caller} => From}.

%% As a server that is sent them by a cast.
work() ->
    receive {'$gen_cast', {request, From}} -> answer(From) end,
    work().

%% Takes one from the table.
take(Table) ->
    case ets:first(Table) of
        '$end_of_table' -> receive after 20 -> take(Table) end;
        From -> ets:delete(Table, From), answer(From)
    end.

answer(From) ->
    receive never -> ok end,
    gen_server:reply(From, ok).
