%% Memory that a NIF takes from the C library and keeps, which no allocator of the VM has.
-module(gt_taken).
-export([load/0, take/1]).
-nifs([take/1]).

load() -> ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

take(_) -> erlang:nif_error(not_loaded).
