%% A driver of test/vms/src/bench_sections.erl for jason: what the releases in bench/projects/releases.mjs have in common.
-module(jason_sections).
-export([sections/0, encode_floats/0, encode_integers/0, encode_strings/0, encode_maps/0, decode_floats/0, decode_maps/0]).

-define(COUNT, 4000).

%% The input is made once, before the first section.
sections() ->
    Numbers = lists:seq(1, ?COUNT),
    Floats = [math:sqrt(Number) * 1000 || Number <- Numbers],
    Maps = [
        #{<<"id">> => Number, <<"name">> => string(Number), <<"sizes">> => [Number, -Number, null], <<"new">> => true}
     || Number <- Numbers
    ],
    put_input(floats, Floats),
    put_input(integers, [Number * 7919 || Number <- Numbers]),
    put_input(strings, [string(Number) || Number <- Numbers]),
    put_input(maps, Maps),
    put_input(floats_json, 'Elixir.Jason':'encode!'(Floats)),
    put_input(maps_json, 'Elixir.Jason':'encode!'(Maps)),
    [encode_floats, encode_integers, encode_strings, encode_maps, decode_floats, decode_maps].

%% No section ends with the call: it would not be on the stack.
encode_floats() -> byte_size('Elixir.Jason':'encode!'(input(floats))).
encode_integers() -> byte_size('Elixir.Jason':'encode!'(input(integers))).
encode_strings() -> byte_size('Elixir.Jason':'encode!'(input(strings))).
encode_maps() -> byte_size('Elixir.Jason':'encode!'(input(maps))).
decode_floats() -> length('Elixir.Jason':'decode!'(input(floats_json))).
decode_maps() -> length('Elixir.Jason':'decode!'(input(maps_json))).

string(Number) -> unicode:characters_to_binary(["article ", integer_to_list(Number * 104729), " – größer \"oder\" kleiner"]).

put_input(Name, Value) -> persistent_term:put({?MODULE, Name}, Value).
input(Name) -> persistent_term:get({?MODULE, Name}).
