%% Processes with messages, dictionaries, links and monitors, and what the VM itself says of them.
-module(gt_mailboxes).
-export([main/0]).

main() ->
    Pids = [start(Options, Kind) || Options <- [[], [{message_queue_data, off_heap}]], Kind <- [few, many, none]],
    timer:sleep(300),
    gt_control:serve(fun() -> #{processes => [describe(Pid) || Pid <- Pids]} end).

start(Options, Kind) ->
    Self = self(),
    Pid = spawn_opt(fun() -> live(Kind, Self) end, Options),
    receive {Pid, ready} -> Pid end,
    send(Kind, Pid),
    Pid.

live(Kind, Owner) ->
    put(cache, #{size => 3, entries => lists:seq(1, 200), {odd, key} => lists:seq(1, 50)}),
    put({user, 17}, "secret of nobody"),
    put(note, <<"said to nobody">>),
    Helpers = [spawn_link(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 7)],
    put(helpers, Helpers),
    Kind =:= many andalso open_port({spawn, "cat"}, []),
    [monitor(process, Helper) || Helper <- Helpers, _ <- [1, 2]],
    monitor(process, Owner),
    Owner ! {self(), ready},
    receive stop -> ok end.

send(none, _) -> ok;
%% Two that are made here: what the code has as a literal is not copied.
send(few, Pid) -> [Pid ! Message || Message <- [hello, {work, 1, pid_to_list(Pid)}, {work, 2, pid_to_list(Pid)}, [a, b], 42]];
send(many, Pid) ->
    [Pid ! {work, Number, {retry, Number}} || Number <- lists:seq(1, 3000)],
    [Pid ! {'$gen_cast', {store, Number, <<"value">>}} || Number <- lists:seq(1, 2500)],
    Pid ! last.

describe(Pid) ->
    {_, Messages} = process_info(Pid, messages),
    {_, Dictionary} = process_info(Pid, dictionary),
    {_, Links} = process_info(Pid, links),
    {_, Monitors} = process_info(Pid, monitors),
    Shapes = [shape(Message) || Message <- Messages],
    Counts = lists:foldl(fun(Shape, Seen) -> Seen#{Shape => maps:get(Shape, Seen, 0) + 1} end, #{}, Shapes),
    #{pid => text(pid_to_list(Pid)),
      length => length(Messages),
      shapes => Counts,
      first => lists:sublist(Shapes, 5),
      last => lists:nthtail(max(0, length(Shapes) - 5), Shapes),
      keys => [key(Key) || {Key, _} <- Dictionary],
      links => [case Link of _ when is_pid(Link) -> text(pid_to_list(Link)); _ -> text(erlang:port_to_list(Link)) end || Link <- Links],
      monitors => [text(pid_to_list(Target)) || {process, Target} <- Monitors]}.

shape(Message) when is_tuple(Message) ->
    [First | Rest] = tuple_to_list(Message),
    text(["{", lists:join(", ", [tag(First) | [element_shape(One) || One <- Rest]]), "}"]);
shape(Message) when is_atom(Message) -> tag(Message);
shape(Message) -> element_shape(Message).

element_shape(One) when is_tuple(One) -> shape(One);
element_shape([]) -> <<"[]">>;
element_shape([_ | _]) -> <<"[_]">>;
element_shape(_) -> <<"_">>.

tag(Atom) -> text(io_lib:format("~w", [Atom])).

key(Key) when is_atom(Key) -> tag(Key);
key(Key) when is_tuple(Key) -> <<"{_}">>.

text(Characters) -> iolist_to_binary(Characters).
