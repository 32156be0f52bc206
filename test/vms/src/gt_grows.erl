%% A process that keeps binaries, each of which is new memory that it writes to, and counts their bytes.
-module(gt_grows).
-export([main/0, grower/1]).

-define(BYTES, 1048576).
-define(BINARIES, 64).

main() ->
    Grown = counters:new(1, [atomics]),
    Grower = spawn(?MODULE, grower, [Grown]),
    gt_control:serve(
        fun() -> #{grower => list_to_binary(pid_to_list(Grower)), bytes => counters:get(Grown, 1)} end,
        fun() -> Grower ! go end
    ).

%% It stays on the stack while the memory grows, and keeps what there is then.
grower(Grown) ->
    receive go -> ok end,
    Kept = grow(?BINARIES, Grown),
    receive {sizes, From} -> From ! [byte_size(Binary) || Binary <- Kept] end.

%% The pauses leave whoever looks on the time to do so.
grow(0, _) -> [];
grow(Left, Grown) ->
    Binary = binary:copy(<<0>>, ?BYTES),
    counters:add(Grown, 1, ?BYTES),
    receive after 50 -> ok end,
    [Binary | grow(Left - 1, Grown)].
