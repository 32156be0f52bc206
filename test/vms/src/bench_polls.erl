%% A VM of processes that rest, in which one of the tools that run inside of a node shows a table of them, again and again or
%% when it is asked to. Arguments: processes, tool. What tools print goes nowhere.
-module(bench_polls).
-export([main/0, rest/0, printing/0]).

main() ->
    [Processes, Tool] = gt_control:arguments(),
    [spawn_link(?MODULE, rest, []) || _ <- lists:seq(1, list_to_integer(Processes))],
    begin_(Tool),
    gt_control:serve(fun() -> #{polled => poll(Tool)} end).

rest() -> receive stop -> ok end.

begin_("observer_cli") -> aside(fun() -> observer_cli:start() end);
begin_("etop") -> aside(fun() -> etop:start([{node, node()}, {output, text}, {interval, 1}, {lines, 20}, {tracing, off}]) end);
begin_(_) -> ok.

%% What a table of processes has, of each.
poll("process_info") ->
    Items = [registered_name, initial_call, current_function, memory, message_queue_len, reductions, dictionary],
    length([Info || Pid <- processes(), Info <- [process_info(Pid, Items)], Info =/= undefined]);
%% The largest by one measure, and nothing else.
poll("recon") -> length(recon:proc_count(memory, 20));
poll(_) -> 0.

aside(Start) ->
    Printing = spawn_link(?MODULE, printing, []),
    %% A tool that fails must not pass for one that costs nothing.
    spawn_link(fun() -> group_leader(Printing, self()), Start() end).

%% A terminal at which nobody types.
printing() ->
    receive
        {io_request, From, As, Request} ->
            case answer(Request) of
                none -> ok;
                Answer -> From ! {io_reply, As, Answer}
            end
    end,
    printing().

answer({get_geometry, rows}) -> 60;
answer({get_geometry, columns}) -> 160;
answer(Request) when element(1, Request) =:= get_line; element(1, Request) =:= get_until; element(1, Request) =:= get_chars -> none;
answer(_) -> ok.
