%% As many modules as the biggest nodes have, each called in turn, a part of the time. One is compiled; the others are the
%% same under names of the same length.
-module(gt_modules).
-export([main/0, forever/1, compiled/0, name/1, renamed/2]).

main() ->
    Count = gt_control:integer_argument(1, 5_000),
    Compiled = compiled(),
    Modules = [name(Number) || Number <- lists:seq(1, Count)],
    %% All at once: one by one takes the longer the more there are.
    ok = code:atomic_load([{name(Number), "gt_module.erl", renamed(Compiled, Number)} || Number <- lists:seq(1, Count)]),
    spawn_link(?MODULE, forever, [Modules]),
    gt_control:serve(fun() -> #{modules => length(code:all_loaded())} end).

renamed(Compiled, Number) -> binary:replace(Compiled, name_bytes(0), name_bytes(Number), [global]).

compiled() ->
    Name = name(0),
    {ok, Name, Code} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{work, 2}]} | work()]),
    Code.

name(Number) -> binary_to_atom(name_bytes(Number), latin1).

name_bytes(Number) -> iolist_to_binary(io_lib:format("gt_module_~5..0b", [Number])).

%% work(0, Sum) -> Sum; work(Left, Sum) -> work(Left - 1, Sum bxor Left).
work() ->
    {ok, Tokens, _} = erl_scan:string("work(0, Sum) -> Sum; work(Left, Sum) -> work(Left - 1, Sum bxor Left)."),
    {ok, Form} = erl_parse:parse_form(Tokens),
    [Form].

forever(Modules) ->
    [begin Module:work(20_000, 0), rest_after(Number) end || {Number, Module} <- lists:zip(lists:seq(1, length(Modules)), Modules)],
    forever(Modules).

rest_after(Number) when Number rem 50 =:= 0 -> timer:sleep(10);
rest_after(_) -> ok.
