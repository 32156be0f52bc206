%% As many modules as the biggest nodes have, each called in turn.
-module(gt_modules).
-export([main/0, forever/1]).

main() ->
    Count = gt_control:integer_argument(1, 5_000),
    Modules = [load(Number) || Number <- lists:seq(1, Count)],
    spawn_link(?MODULE, forever, [Modules]),
    gt_control:serve(fun() -> #{modules => length(code:all_loaded())} end).

load(Number) ->
    Name = list_to_atom("gt_module_" ++ integer_to_list(Number)),
    {ok, Name, Code} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{work, 2}]} | work()]),
    {module, Name} = code:load_binary(Name, "gt_module.erl", Code),
    Name.

%% work(0, Sum) -> Sum; work(Left, Sum) -> work(Left - 1, Sum bxor Left).
work() ->
    {ok, Tokens, _} = erl_scan:string("work(0, Sum) -> Sum; work(Left, Sum) -> work(Left - 1, Sum bxor Left)."),
    {ok, Form} = erl_parse:parse_form(Tokens),
    [Form].

forever(Modules) ->
    [Module:work(2_000, 0) || Module <- Modules],
    forever(Modules).
