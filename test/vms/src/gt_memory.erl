%% Allocators, ETS tables and loaded code as the VM itself tells of them. It holds tables of all kinds and, of the
%% binaries that it makes on demand, every tenth. Between its two answers, of which each report has both,
%% nothing runs here for as long as it is told, so that somebody else can look meanwhile. When asked for
%% (third argument), a table gets so many objects more before each report.
-module(gt_memory).
-export([main/0]).

-define(BINARIES, 20_000).

main() ->
    Wait = gt_control:integer_argument(1, 500),
    tables(),
    %% One module with an older generation, and one whose older generation is purged.
    [{module, Module} = code:load_file(Module) || Module <- [gt_deep, gt_deep, gt_brief, gt_brief]],
    _ = code:purge(gt_brief),
    Kept = case gt_control:integer_argument(2, 0) of
               0 -> none;
               1 -> spawn(fun fragment/0)
           end,
    is_pid(Kept) andalso begin Kept ! {self(), done}, receive done -> ok end end,
    put(wait, Wait),
    ets:new(gt_memory_growing, [named_table, public]),
    put(grow, gt_control:integer_argument(3, 0)),
    grow(),
    gt_control:serve(fun() -> grow(), truth() end).

grow() ->
    Have = ets:info(gt_memory_growing, size),
    ets:insert(gt_memory_growing, [{Key, lists:seq(1, 40)} || Key <- lists:seq(Have + 1, Have + get(grow))]).

truth() ->
    %% What runs on after the last line of ours was read.
    timer:sleep(100),
    Before = sizes(),
    Wait = get(wait),
    receive after Wait -> ok end,
    After = sizes(),
    put(wait, min(Wait * 2, 4000)),
    #{waited_ms => Wait,
      'before' => named(Before),
      'after' => named(After),
      memory => maps:from_list(erlang:memory()),
      code => code(),
      tables => [table(Table) || Table <- ets:all(), ets:info(Table) =/= undefined]}.

%% 60 of our own: each type with each way of writing, and each protection, filled differently.
tables() ->
    Types = [set, ordered_set, bag, duplicate_bag],
    Ways = [[], [{write_concurrency, true}], [{read_concurrency, true}], [{write_concurrency, true}, {decentralized_counters, true}], [compressed]],
    Protections = [public, protected, private],
    All = [{Type, Way, Protection} || Type <- Types, Way <- Ways, Protection <- Protections],
    lists:foldl(fun(Wanted, Number) -> table(Wanted, Number), Number + 1 end, 1, All).

table({Type, Way, Protection}, Number) ->
    Name = list_to_atom("gt_memory_" ++ integer_to_list(Number)),
    Named = [named_table || Number rem 2 =:= 0],
    Make = fun() ->
               Table = ets:new(Name, [Type, Protection | Named] ++ Way),
               ets:insert(Table, [{Key, lists:seq(1, Key rem 7), <<Key:256>>} || Key <- lists:seq(1, Number * 11)])
           end,
    %% Some belong to processes of their own.
    case Number rem 3 of
        0 ->
            Self = self(),
            spawn(fun() -> Make(), Self ! made, receive stop -> ok end end),
            receive made -> ok end;
        _ -> Make()
    end.

table(Table) ->
    Info = fun(Item) -> ets:info(Table, Item) end,
    #{name => Info(name), owner => list_to_binary(pid_to_list(Info(owner))), type => Info(type),
      items => Info(size), bytes => Info(memory) * erlang:system_info(wordsize),
      protection => Info(protection), named => Info(named_table)}.

%% The current generation of each module, in bytes.
code() ->
    Lines = binary:split(iolist_to_binary([erlang:system_info(loaded)]), <<"\n">>, [global]),
    Rows = [binary:split(Line, <<" ">>, [global]) || Line <- Lines],
    maps:from_list([{Module, binary_to_integer(Size)} || [Module, Size | _] <- Rows, binary:last(Module) =/= $:, Module =/= <<"Old">>, Module =/= <<"Current">>]).

fragment() ->
    Kept = keep(?BINARIES, []),
    erase(all),
    erlang:garbage_collect(),
    receive {From, done} -> From ! done end,
    receive stop -> Kept end.

keep(0, Kept) -> Kept;
keep(Number, Kept) ->
    Binary = binary:copy(<<Number:32>>, 1000 + Number rem 500),
    %% All of them are there at a time.
    case get(all) of
        undefined -> put(all, [Binary]);
        All -> put(all, [Binary | All])
    end,
    case Number rem 10 of
        0 -> keep(Number - 1, [Binary | Kept]);
        _ -> keep(Number - 1, Kept)
    end.

%% {carriers, blocks} in bytes, by allocator.
sizes() ->
    [{Name, sums(erlang:system_info({allocator_sizes, Name}))}
     || Name <- erlang:system_info(alloc_util_allocators)].

sums(false) -> {0, 0};
sums(Instances) ->
    Parts = [Sizes || {instance, _, Groups} <- Instances, {Group, Sizes} <- Groups,
                      lists:member(Group, [mbcs, sbcs, mbcs_pool])],
    {lists:sum([carriers(Sizes) || Sizes <- Parts]), lists:sum([blocks(Sizes) || Sizes <- Parts])}.

carriers(Sizes) -> element(2, lists:keyfind(carriers_size, 1, Sizes)).

%% Up to OTP 24 one sum, then one for each kind of block.
blocks(Sizes) ->
    case lists:keyfind(blocks_size, 1, Sizes) of
        false ->
            {blocks, Kinds} = lists:keyfind(blocks, 1, Sizes),
            lists:sum([bytes(proplists:lookup(size, Of)) || {_Kind, Of} <- Kinds]);
        Sum -> element(2, Sum)
    end.

bytes(Size) -> element(2, Size).

named(Sizes) ->
    maps:from_list([{Name, [Carriers, Blocks]} || {Name, {Carriers, Blocks}} <- Sizes]).
