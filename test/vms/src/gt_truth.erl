%% A VM at rest that says about itself what an outside reader should find: its processes with
%% their stacks, its modules with their functions, its atoms. Its processes wait in as many ways
%% as there are. Arguments: processes that have come and gone before (their numbers are used up).
-module(gt_truth).
-export([main/0, waiting/1, hibernated/0, apply_target/2, gone/0]).
-export([init/1, handle_call/3, handle_cast/2]).

main() ->
    erlang:system_flag(backtrace_depth, 1000),
    burn(gt_control:integer_argument(1, 0)),
    %% Five generations of one module: addresses have been used more than once. The last but one
    %% is old code that a process still waits in.
    [reload(Version) || Version <- [1, 2, 3, 4]],
    spawn(gt_truth_reloaded, waits, []),
    start(),
    timer:sleep(50),
    reload(5),
    timer:sleep(100),
    gt_control:say(gt_control:ready()),
    serve().

%% Unlike gt_control:serve/1 it answers from a process of its own, and while this one waits for
%% the next line again: what it tells is how the VM stays afterwards.
serve() ->
    case io:get_line("") of
        "report\n" ->
            spawn(fun() -> timer:sleep(50), gt_control:say(truth()) end),
            serve();
        _ ->
            erlang:halt(0)
    end.

burn(Count) when Count =< 0 -> ok;
burn(Count) ->
    {_, Reference} = spawn_monitor(?MODULE, gone, []),
    receive {'DOWN', Reference, _, _, _} -> burn(Count - 1) end.

gone() -> ok.

start() ->
    {ok, Server} = gen_server:start(?MODULE, [], []),
    [spawn(?MODULE, waiting, [How]) || How <- [shallow, deep, very_deep, in_fun, in_catch, in_try, timeout, applied, binary, mutual]],
    spawn(?MODULE, waiting, [{call, Server}]),
    spawn(?MODULE, waiting, [hibernate]),
    spawn(?MODULE, waiting, [dictionary]),
    Suspended = spawn(?MODULE, waiting, [{named, suspended_process}]),
    timer:sleep(20),
    gt_suspend:suspend(Suspended),
    register('a name\nwith "marks"', spawn(?MODULE, waiting, [shallow])).

%% Each way ends in a receive that nothing is ever sent to.
waiting(shallow) -> forever();
waiting(deep) -> {deep, descend(50)};
waiting(very_deep) -> {very_deep, descend(30_000)};
waiting(in_fun) -> lists:foreach(fun(X) -> X + lists:foldl(fun(Y, Z) -> forever() + Y + Z end, 0, [X, 2]) end, [1, 2, 3]);
waiting(in_catch) -> X = (catch forever()), {caught, X};
waiting(in_try) -> try forever(), throw(never) catch throw:Y -> {caught, Y} after ok = forever() end;
waiting(timeout) -> receive never -> ok after 3_600_000 -> ok end;
waiting(applied) -> {applied, apply(?MODULE, apply_target, [1, 2.5])};
waiting(binary) -> <<(list_to_integer(atom_to_list(forever()))):32>>;
waiting(mutual) -> {ok, even(41)};
waiting({call, Server}) -> {reply, gen_server:call(Server, never_answered, infinity)};
waiting(hibernate) -> erlang:hibernate(?MODULE, hibernated, []);
waiting(dictionary) -> put(key, value), [descend(3) | get()];
waiting({named, Name}) -> register(Name, self()), {named, forever()}.

forever() -> receive {never, Answer} -> Answer end.

descend(0) -> forever();
descend(Depth) -> Depth + descend(Depth - 1).

even(0) -> forever();
even(N) -> not odd(N - 1).

odd(0) -> forever();
odd(N) -> not even(N - 1).

hibernated() -> forever().

apply_target(A, B) -> {A, forever(), B}.

init([]) -> {ok, nothing}.
handle_call(never_answered, _From, State) -> {noreply, State}.
handle_cast(_, State) -> {noreply, State}.

%% Version N has ten times N functions before those that stay.
reload(Version) ->
    Fillers = ["filler_" ++ integer_to_list(I) || I <- lists:seq(1, Version * 10)],
    Sources =
        ["-module(gt_truth_reloaded).", "-export([waits/0, stays/1])."]
        ++ ["-export([" ++ Filler ++ "/1])." || Filler <- Fillers]
        ++ [Filler ++ "(X) -> X + 1." || Filler <- Fillers]
        ++ ["waits() -> Y = stays(never), {Y, Y}.", "stays(X) -> receive {X, Z} -> Z * 2 end."],
    Forms = [form(Line, Source) || {Line, Source} <- lists:zip(lists:seq(1, length(Sources)), Sources)],
    {ok, gt_truth_reloaded, Binary} = compile:forms([{attribute, 1, file, {"gt_truth_reloaded.erl", 1}} | Forms], []),
    code:purge(gt_truth_reloaded),
    {module, _} = code:load_binary(gt_truth_reloaded, "gt_truth_reloaded.erl", Binary).

form(Line, Source) ->
    {ok, Tokens, _} = erl_scan:string(Source, Line),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

truth() ->
    #{otp => list_to_binary(erlang:system_info(otp_release)),
      processes => [Truth || Pid <- processes(), Pid =/= self(), Truth <- process_truth(Pid)],
      modules => [module_truth(Module) || {Module, _} <- code:all_loaded()],
      atoms => [base64:encode(atom_to_binary(Atom, utf8)) || Atom <- atoms()]}.

process_truth(Pid) ->
    Keys = [registered_name, initial_call, status, current_stacktrace, stack_size],
    case process_info(Pid, Keys) of
        undefined -> [];
        Info ->
            Value = fun(Key) -> {_, V} = lists:keyfind(Key, 1, Info), V end,
            [#{pid => list_to_binary(pid_to_list(Pid)),
               quoted_name => case Value(registered_name) of [] -> <<>>; Quoted -> text("~tw", [Quoted]) end,
               registered_name => case Value(registered_name) of [] -> <<>>; Name -> base64:encode(atom_to_binary(Name, utf8)) end,
               initial_call => mfa(Value(initial_call)),
               status => Value(status),
               stack_size_words => Value(stack_size),
               stacktrace => [frame(Frame) || Frame <- Value(current_stacktrace)]}]
    end.

frame({M, F, A, Location}) ->
    [mfa({M, F, A}), list_to_binary(proplists:get_value(file, Location, "")), proplists:get_value(line, Location, 0)].

module_truth(Module) ->
    [base64:encode(atom_to_binary(Module, utf8)),
     [text("~ts/~b", [F, A]) || {F, A} <- Module:module_info(functions)]].

mfa({M, F, A}) ->
    text("~tw:~tw/~b", [M, F, A]).

text(Format, Arguments) ->
    base64:encode(unicode:characters_to_binary(io_lib:format(Format, Arguments))).

%% Every atom there is: the external format has a tag for "the atom of this index".
atoms() -> atoms(0, erlang:system_info(atom_count)).

atoms(Count, Count) -> [];
atoms(Index, Count) -> [binary_to_term(<<131, 75, Index:24>>) | atoms(Index + 1, Count)].
