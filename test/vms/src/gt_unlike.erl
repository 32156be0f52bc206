%% Processes that work below N frames each (first argument), one for each scheduler, and no two stacks are the same: each
%% frame is one of 65,536 lines, chosen at random anew for each bit of work. A capture of it has as many
%% stacks as samples, and they pack badly.
-module(gt_unlike).
-export([main/0, process/2, down/2, next/1]).

-define(MODULES, 32).
-define(FUNCTIONS, 16).
-define(LINES, 128).
-define(TIMES, 20).

main() ->
    Frames = gt_control:integer_argument(1, 1000),
    load(),
    Processes = erlang:system_info(schedulers_online),
    _ = [spawn_link(?MODULE, process, [Frames, Seed]) || Seed <- lists:seq(1, Processes)],
    gt_control:serve(fun() -> #{frames => Frames, processes => Processes} end).

%% It works for a third of the time, so that the helper has a processor on a busy machine, too.
process(Frames, State) ->
    Began = erlang:monotonic_time(millisecond),
    Next = work_times(?TIMES, Frames, State),
    timer:sleep(2 * (erlang:monotonic_time(millisecond) - Began)),
    process(Frames, Next).

work_times(0, _Frames, State) -> State;
work_times(Times, Frames, State) -> work_times(Times - 1, Frames, next(State + down(Frames, State))).

%% 42 bits, of which the upper ones are the random ones.
next(State) -> (State * 69069 + 1) band 16#3ffffffffff.

down(0, State) -> work(10_000, State);
down(Frames, State) -> (element(1 + (State bsr 37), modules())):down(Frames - 1, State).

work(0, State) -> State;
work(Count, State) -> work(Count - 1, next(State)).

modules() -> persistent_term:get(?MODULE).

%% The modules of the frames are made here, all from one: the same bytes with another name of the same length.
load() ->
    Text = lists:flatten([head(), [function(It) || It <- lists:seq(0, ?FUNCTIONS - 1)]]),
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, First, Code} = compile:forms([form(It) || It <- forms(Tokens, [])], []),
    Names = [binary_to_atom(<<"gt_unlike_", (integer_to_binary(It))/binary>>, utf8)
             || It <- lists:seq(100, 99 + ?MODULES)],
    persistent_term:put(?MODULE, list_to_tuple([loaded(It, First, Code) || It <- Names])).

loaded(Name, First, Code) ->
    [Old, New] = [atom_to_binary(It, utf8) || It <- [First, Name]],
    {module, Name} = code:load_binary(Name, "gt_unlike_frames.erl", binary:replace(Code, Old, New, [global])),
    Name.

head() ->
    Clause = "~b -> frame_~b(Frames, State)",
    ["-module(gt_unlike_100).\n-export([down/2]).\ndown(Frames, State) -> case (State bsr 33) band 15 of ",
     lists:join("; ", [io_lib:format(Clause, [It, It]) || It <- lists:seq(0, ?FUNCTIONS - 1)]), " end.\n"].

%% A frame is on the stack until its addition, and its line is that of its call.
function(Number) ->
    Clause = "~b -> Result = gt_unlike:down(Frames, gt_unlike:next(State)), Result + ~b",
    [io_lib:format("frame_~b(Frames, State) -> case (State bsr 26) band 127 of\n", [Number]),
     lists:join(";\n", [io_lib:format(Clause, [It, It]) || It <- lists:seq(0, ?LINES - 1)]),
     " end.\n"].

forms([], []) -> [];
forms([{dot, _} = Dot | Rest], Form) -> [lists:reverse([Dot | Form]) | forms(Rest, [])];
forms([Token | Rest], Form) -> forms(Rest, [Token | Form]).

form(Tokens) ->
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
