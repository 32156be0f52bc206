%% A driver of test/vms/src/bench_sections.erl for decimal: what the releases in bench/projects/releases.mjs have in common.
-module(decimal_sections).
-export([sections/0, normalize_large/0, to_integer_large/0, is_integer_large/0, parse_large/0, to_string_large/0]).
-export([add_small/0, compare_small/0, parse_small/0]).

-define(LARGE, 20).
-define(DIGITS, 1500).
-define(SMALL, 3000).

%% The input is made once, before the first section.
sections() ->
    Large = [decimal(power(10, ?DIGITS) div (Number + 2) * power(10, 300), -200) || Number <- lists:seq(1, ?LARGE)],
    Small = [decimal(Number * 7919, -2) || Number <- lists:seq(1, ?SMALL)],
    put_input(large, Large),
    put_input(large_texts, ['Elixir.Decimal':to_string(Each, scientific) || Each <- Large]),
    put_input(small, Small),
    put_input(small_texts, ['Elixir.Decimal':to_string(Each) || Each <- Small]),
    [normalize_large, to_integer_large, is_integer_large, parse_large, to_string_large, add_small, compare_small, parse_small].

%% No section ends with the call: it would not be on the stack.
normalize_large() -> length(['Elixir.Decimal':normalize(Each) || Each <- input(large)]).
to_integer_large() -> length(['Elixir.Decimal':to_integer(Each) || Each <- input(large)]).
is_integer_large() -> length(['Elixir.Decimal':'integer?'(Each) || Each <- input(large)]).
parse_large() -> length(['Elixir.Decimal':parse(Each) || Each <- input(large_texts)]).
to_string_large() -> length(['Elixir.Decimal':to_string(Each, scientific) || Each <- input(large)]).
add_small() -> length(['Elixir.Decimal':add(Each, Each) || Each <- input(small)]).
compare_small() -> length(['Elixir.Decimal':compare(Each, hd(input(small))) || Each <- input(small)]).
parse_small() -> length(['Elixir.Decimal':parse(Each) || Each <- input(small_texts)]).

decimal(Coefficient, Exponent) -> 'Elixir.Decimal':new(1, Coefficient, Exponent).

power(_, 0) -> 1;
power(Base, Exponent) -> Base * power(Base, Exponent - 1).

put_input(Name, Value) -> persistent_term:put({?MODULE, Name}, Value).
input(Name) -> persistent_term:get({?MODULE, Name}).
