%% Talks with the test that started this VM: one line of JSON out when ready, one for every
%% "report" read from standard input, and one more before the VM halts on "stop" or at the
%% end of input (so that the VM never outlives the test that started it). "go" has no answer:
%% it begins what may keep the VM from answering at all.
-module(gt_control).
-export([serve/1, serve/2, arguments/0, integer_argument/2, connect/1, ready/0, say/1, json/1]).

%% Words after -extra on the command line.
arguments() -> init:get_plain_arguments().

integer_argument(Position, Default) ->
    Arguments = arguments(),
    case length(Arguments) >= Position of
        true -> list_to_integer(lists:nth(Position, Arguments));
        false -> Default
    end.

%% Until they are connected: a node that is stopped or busy for a while does not answer in time.
connect(Node) ->
    case net_kernel:connect_node(Node) of
        true -> ok;
        _ -> timer:sleep(100), connect(Node)
    end.

%% Report: fun() -> map, the truth measured so far. Never returns.
serve(Report) -> serve(Report, fun() -> ok end).

serve(Report, Go) ->
    say(ready()),
    wait(Report, Go).

ready() ->
    #{ready => true,
      pid => list_to_integer(os:getpid()),
      otp => list_to_binary(erlang:system_info(otp_release))}.

wait(Report, Go) ->
    case line() of
        "report\n" ->
            say(Report()),
            wait(Report, Go);
        "go\n" ->
            Go(),
            wait(Report, Go);
        Line when Line =:= "stop\n"; Line =:= eof; element(1, Line) =:= error ->
            say(Report()),
            erlang:halt(0)
    end.

%% Under Elixir standard input gives binaries.
line() ->
    case io:get_line("") of
        Bytes when is_binary(Bytes) -> binary_to_list(Bytes);
        Other -> Other
    end.

say(Term) -> io:put_chars([json(Term), $\n]).

json(Map) when is_map(Map) ->
    Members = [[json(name(Key)), $:, json(Value)] || {Key, Value} <- maps:to_list(Map)],
    [${, lists:join($,, Members), $}];
json(List) when is_list(List) -> [$[, lists:join($,, [json(Item) || Item <- List]), $]];
json(Text) when is_binary(Text) -> [$", Text, $"];
json(Flag) when is_boolean(Flag) -> atom_to_binary(Flag);
json(Name) when is_atom(Name) -> json(atom_to_binary(Name));
json(Number) when is_integer(Number) -> integer_to_binary(Number);
json(Number) when is_float(Number) -> float_to_binary(Number, [{decimals, 6}, compact]).

name(Key) when is_atom(Key) -> atom_to_binary(Key);
name(Key) when is_binary(Key) -> Key.
