%% Its function is in c_src/cmp_nif.c.
-module(cmp_nif).
-export([load/1, work/1]).
-nifs([work/1]).

load(Folder) -> erlang:load_nif(filename:join(Folder, "cmp_nif"), 0).

work(_) -> erlang:nif_error(not_loaded).
