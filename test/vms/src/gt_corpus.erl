%% One situation after the other, for the corpus of samples: each "report" ends the present one
%% and begins the next, and says its name.
-module(gt_corpus).
-export([main/0, work/1, depth/2, wide/1]).
-nifs([spin_long/1, spin_dirty_cpu/1]).

-define(SITUATIONS, [erlang, bif, gc, deep, deeper, dirty_gc, dirty_nif, nif, ets, port, message, exiting,
                     exception, unset]).

main() ->
    ok = erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "gt_corpus"), 0),
    put(left, ?SITUATIONS),
    gt_control:serve(fun next/0).

next() ->
    case get(worker) of
        undefined -> ok;
        Pid ->
            unlink(Pid),
            exit(Pid, kill)
    end,
    case get(left) of
        [] -> #{situation => <<"none">>};
        [Situation | Left] ->
            put(left, Left),
            put(worker, spawn_link(?MODULE, work, [Situation])),
            #{situation => Situation}
    end.

work(Situation) ->
    begin_situation(Situation),
    forever(Situation).

forever(Situation) ->
    once(Situation),
    forever(Situation).

begin_situation(ets) ->
    gt_corpus_table = ets:new(gt_corpus_table, [named_table, ordered_set]),
    ets:insert(gt_corpus_table, [{Key, Key, <<"value">>} || Key <- lists:seq(1, 1000)]);
begin_situation(port) -> put(port, open_port({spawn, "cat"}, [binary]));
begin_situation(dirty_gc) -> put(held, lists:seq(1, 500_000));
begin_situation(message) -> put(receiver, spawn_link(fun receiver/0));
begin_situation(_) -> ok.

once(erlang) -> steps(20_000, 1);
once(bif) ->
    _ = erlang:md5(<<0:(8 * 2_000)>>),
    _ = lists:reverse(lists:seq(1, 500)),
    _ = term_to_binary([{Key, <<"bytes">>} || Key <- lists:seq(1, 300)], [compressed]),
    _ = binary:matches(<<0:(8 * 20_000)>>, [<<1, 2>>, <<3, 4>>]);
once(gc) ->
    Held = [{Number, [Number]} || Number <- lists:seq(1, 20_000)],
    20_000 = length(garbage(50, Held));
once(deep) -> depth(500, 1);
once(deeper) -> depth(12_000, 1);
once(dirty_gc) ->
    true = erlang:garbage_collect(),
    500_000 = length(get(held));
once(dirty_nif) -> spin_dirty_cpu(300_000);
once(nif) -> spin_long(300_000);
once(ets) ->
    _ = ets:select(gt_corpus_table, [{{'$1', '$2', '_'}, [{'<', '$1', 50}], ['$2']}]),
    _ = ets:insert(gt_corpus_table, [{Key, Key, <<"other">>} || Key <- lists:seq(1, 100)]);
once(port) ->
    true = port_command(get(port), binary:copy(<<"data">>, 500)),
    receive {_, {data, _}} -> ok after 100 -> ok end;
once(message) ->
    get(receiver) ! {self(), [{Number, <<"text">>} || Number <- lists:seq(1, 2_000)]},
    receive got_it -> ok end;
once(exiting) ->
    {_, Reference} = spawn_monitor(fun() -> exit(garbage(5, lists:seq(1, 2_000))) end),
    receive {'DOWN', Reference, process, _, _} -> ok end;
once(exception) ->
    try lists:foldl(fun(Number, Sum) when Number < 200 -> Sum + Number end, 0, lists:seq(1, 300))
    catch error:function_clause:Stack -> length(Stack)
    end;
%% Frames full of variables, over old frames of the same place: most samples fall on the words
%% between their making and their setting.
once(unset) -> wides(2_000).

steps(0, X) -> X;
steps(Count, X) -> steps(Count - 1, (X * 1103515 + 12345) band 16#3ffffff).

garbage(0, Held) -> Held;
garbage(Count, Held) ->
    500 = length([Number * 2 || Number <- lists:seq(1, 500)]),
    garbage(Count - 1, Held).

depth(0, X) -> steps(20_000, X) + erlang:phash2(lists:seq(1, 2_000));
depth(Depth, X) ->
    Result = depth(Depth - 1, X),
    Result + Depth.

receiver() ->
    receive {From, Terms} -> From ! got_it, _ = length(Terms) end,
    receiver().

wides(0) -> ok;
wides(Count) ->
    wide({Count, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
    wides(Count - 1).

wide({A, B, C, D, E, F, G, H, I, J}) ->
    X = narrow(A), Y = narrow(B), Z = narrow(C),
    {X, Y, Z, narrow(D), narrow(E), narrow(F), narrow(G), narrow(H), narrow(I), narrow(J)}.

narrow(X) -> {narrower(X), X}.

narrower(X) ->
    Y = X band 7,
    [Y | narrowest(Y)].

narrowest(X) -> X * 2 + 1.

spin_long(_) -> erlang:nif_error(not_loaded).
spin_dirty_cpu(_) -> erlang:nif_error(not_loaded).
