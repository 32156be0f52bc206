%% Its function is in native/shop_rust.
-module(shop_rust).
-export([load/1, weigh/1]).
-nifs([weigh/1]).

load(Folder) -> erlang:load_nif(filename:join(Folder, "shop_rust"), 0).

weigh(_) -> erlang:nif_error(not_loaded).
