// A VM that only works, for tests that need just samples.

import { IDLE_SLEEPS } from "./idle-sleeps.mjs";

const WORK =
  'Loop = fun Loop() -> lists:sort([erlang:phash2(N) || N <- lists:seq(1, 3000)]), timer:sleep(15), Loop() end, spawn(Loop), io:format("ready~n"), io:get_line(""), init:stop().';

/**
 * Arguments of `erl`: it prints `ready`, works a tenth of the time, and ends with its standard input.
 * @param {{program?: string, more?: readonly string[]}} [how]   `program` runs before it works; more arguments
 * @returns {string[]}
 */
export function busyShell({ program = "", more = [] } = {}) {
  return ["-noshell", ...IDLE_SLEEPS, ...more, "-eval", `${program} ${WORK}`];
}
