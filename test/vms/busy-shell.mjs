// A VM that only works, a quarter of the time, for tests that need samples and no more: what `erl -eval` is told.
export const BUSY = 'Loop = fun Loop() -> lists:sort([erlang:phash2(N) || N <- lists:seq(1, 3000)]), timer:sleep(3), Loop() end, spawn(Loop), io:format("ready~n"), io:get_line(""), init:stop().';
