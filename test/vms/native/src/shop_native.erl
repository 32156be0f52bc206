%% Keeps two native functions at work for a part of the time, called from one line each.
-module(shop_native).
-export([main/0]).

main() ->
    Folder = filename:dirname(code:which(?MODULE)),
    ok = shop_c:load(Folder),
    ok = shop_rust:load(Folder),
    spawn_link(fun() -> forever(0) end),
    gt_control:serve(fun() -> #{} end).

forever(Sum) ->
    Scored = shop_c:score(400_000),
    Weighed = shop_rust:weigh(400_000),
    timer:sleep(5),
    forever((Sum + Scored + Weighed) band 16#ffff).
