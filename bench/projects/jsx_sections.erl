%% A driver of test/vms/src/bench_sections.erl for jsx: what the releases in bench/projects/releases.mjs have in common.
-module(jsx_sections).
-export([sections/0, decode/0, is_json/0, minify/0, encode/0, encode_strings/0]).

-define(OBJECTS, 400).

%% The input is made once, before the first section.
sections() ->
    Json = unicode:characters_to_binary(["[", lists:join(",", [object(Number) || Number <- lists:seq(1, ?OBJECTS)]), "]"]),
    put_input(json, Json),
    put_input(term, jsx:decode(Json)),
    put_input(strings, [string(Number) || Number <- lists:seq(1, 4 * ?OBJECTS)]),
    [decode, is_json, minify, encode, encode_strings].

%% No section ends with the call: it would not be on the stack.
decode() -> length(jsx:decode(input(json))).
is_json() -> true = jsx:is_json(input(json)), ok.
minify() -> byte_size(jsx:minify(input(json))).
encode() -> byte_size(jsx:encode(input(term))).
encode_strings() -> byte_size(jsx:encode(input(strings))).

object(Number) ->
    [Id, Digit, Size] = [integer_to_list(Each) || Each <- [Number * 7919, Number rem 10, -Number]],
    ["{\"id\": ", Id, ", \"price\": ", Id, ".", Digit, ", \"name\": \"", string(Number), "\", \"in stock\": ", atom_to_list(Number rem 2 =:= 0),
        ", \"sizes\": [", Digit, ", ", Size, ", null], \"maker\": {\"name\": \"", string(Number + 1), "\"}}"].

string(Number) -> unicode:characters_to_binary(["article ", integer_to_list(Number * 104729), " – größer / kleiner, ", lists:duplicate(Number rem 20, $x)]).

put_input(Name, Value) -> persistent_term:put({?MODULE, Name}, Value).
input(Name) -> persistent_term:get({?MODULE, Name}).
