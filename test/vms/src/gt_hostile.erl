%% Whatever of this VM has a name, a terminal would obey: the module that works, its function and
%% file, and the process it runs in.
-module(gt_hostile).
-export([main/0]).

main() ->
    Module = list_to_atom("evil\e[2J" ++ [16#202E] ++ "lre\nsecond"),
    Function = list_to_atom("link\e]8;;http://evil\^Gtext\e]8;;\^G"),
    Forms = [{attribute, 1, file, {"/tmp/\e[31mred" ++ [16#9B, 16#2066] ++ ".erl", 1}},
             form("-module(~tp).", [harmless]),
             form("-export([~tp/1]).", [Function]),
             form("~tp(N) -> ~tp((N * 7 + 1) rem 1000003).", [Function, Function])],
    %% The front end refuses such a name of a module, what comes after it does not.
    {ok, harmless, Core} = compile:forms(Forms, [to_core]),
    Renamed = setelement(3, Core, cerl:c_atom(Module)),
    {ok, Module, Beam} = compile:forms(Renamed, [from_core]),
    {module, Module} = code:load_binary(Module, "evil", Beam),
    Pid = spawn(fun() -> Module:Function(1) end),
    true = register(list_to_atom("proc\e]0;title\^G\r" ++ [16#85]), Pid),
    gt_control:serve(fun() -> #{} end).

form(Format, Arguments) ->
    Text = unicode:characters_to_list(io_lib:format(Format, Arguments)),
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
