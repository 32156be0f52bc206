%% A process that makes resources and drops them, so that a scheduler calls their destructors; and that calls the function of
%% one of these itself. Its library is loaded at the first report: the VM had no such type before. One type has a destructor
%% of another library, and the streams of zlib one of a NIF that is linked with the emulator.
-module(gt_resources).
-export([main/0]).
-nifs([make/1, call/0]).

main() ->
    gt_control:serve(fun() ->
        case whereis(gt_resources) of
            undefined ->
                Library = filename:rootname(code:which(?MODULE)),
                Glyphs = filename:join(filename:dirname(Library), "gt_glyphs.so"),
                ok = erlang:load_nif(Library, Glyphs),
                register(gt_resources, spawn(fun loop/0));
            _ -> ok
        end,
        #{}
    end).

make(_) -> erlang:nif_error(not_loaded).
call() -> erlang:nif_error(not_loaded).

loop() ->
    _ = [make(Kind) || Kind <- [0, 1, 2, 3, 4]],
    _ = [stream() || _ <- lists:seq(1, 100)],
    garbage_collect(),
    _ = call(),
    timer:sleep(20),
    loop().

%% Some hundred kilobytes that are not closed.
stream() ->
    Stream = zlib:open(),
    ok = zlib:deflateInit(Stream),
    Stream.
