%% A server that starts a process for each request, which answers in its place: its state has these by their callers.
-module(gt_handed_on).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2, answer/1]).

init(_) -> {ok, #{}}.
handle_call(_, {Caller, _} = From, Workers) -> {noreply, Workers#{Caller => spawn_link(?MODULE, answer, [From])}}.
handle_cast(_, Workers) -> {noreply, Workers}.

answer(From) ->
    receive never -> ok end,
    gen_server:reply(From, ok).
