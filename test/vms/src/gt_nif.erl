%% Native functions of a library: on the scheduler itself (two that only take time, one that
%% makes terms), or with the argument "dirty" on dirty schedulers. Each has one caller and line. With "parts", one process
%% calls one that ends early and is continued by the VM (`enif_schedule_nif`), and then again on a dirty scheduler, now and
%% then.
-module(gt_nif).
-export([main/0, load/0, calls_short/1, calls_long/1, lists/1, dirty_cpu/1, dirty_io/1, works_in_parts/0]).
-nifs([spin_short/1, spin_long/1, spin_dirty_cpu/1, spin_dirty_io/1, make_list/1, in_parts/1]).

load() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    ok = load(),
    case gt_control:arguments() of
        ["parts" | _] ->
            Caller = list_to_binary(pid_to_list(spawn_link(?MODULE, works_in_parts, []))),
            gt_control:serve(fun() -> #{caller => Caller} end);
        ["dirty" | _] ->
            serve(gt_slices:start(?MODULE, [{dirty_cpu, 10_000, 1}, {dirty_io, 5_000, 1}], #{clock => process}));
        _ ->
            serve(gt_slices:start(?MODULE, [{calls_short, 4_000, 1}, {calls_long, 6_000, 1}, {lists, 2_000, 1}]))
    end.

serve(Slices) -> gt_control:serve(fun() -> gt_slices:truth(Slices) end).

spin_short(_) -> erlang:nif_error(not_loaded).
spin_long(_) -> erlang:nif_error(not_loaded).
spin_dirty_cpu(_) -> erlang:nif_error(not_loaded).
spin_dirty_io(_) -> erlang:nif_error(not_loaded).
make_list(_) -> erlang:nif_error(not_loaded).
in_parts(_) -> erlang:nif_error(not_loaded).

calls_short(Count) -> calls_short(Count, 0).
calls_short(0, Sum) -> Sum;
calls_short(Count, Sum) ->
    Part = spin_short(200),
    calls_short(Count - 1, (Sum + Part) band 16#ffff).

calls_long(Count) -> calls_long(Count, 0).
calls_long(0, Sum) -> Sum;
calls_long(Count, Sum) ->
    Part = spin_long(100_000),
    calls_long(Count - 1, (Sum + Part) band 16#ffff).

lists(Count) -> lists(Count, 0).
lists(0, Sum) -> Sum;
lists(Count, Sum) ->
    List = make_list(100),
    lists(Count - 1, (Sum + hd(List)) band 16#ffff).

dirty_cpu(Count) -> dirty_cpu(Count, 0).
dirty_cpu(0, Sum) -> Sum;
dirty_cpu(Count, Sum) ->
    Part = spin_dirty_cpu(1_000_000),
    dirty_cpu(Count - 1, (Sum + Part) band 16#ffff).

dirty_io(Count) -> dirty_io(Count, 0).
dirty_io(0, Sum) -> Sum;
dirty_io(Count, Sum) ->
    Part = spin_dirty_io(1_000_000),
    dirty_io(Count - 1, (Sum + Part) band 16#ffff).

works_in_parts() ->
    calls_in_parts(50, 0),
    receive after 20 -> ok end,
    works_in_parts().

calls_in_parts(0, Sum) -> Sum;
calls_in_parts(Count, Sum) ->
    Part = in_parts(20_000),
    calls_in_parts(Count - 1, (Sum + Part) band 16#ffff).
