// The helper's own answers about a capture, row by row.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { BlameCaller, TopAnswer } from "../../../extension/src/capture/questions.js";
import { naiveSamples } from "./naive-profile.js";

const FIXTURES = "test/unit/capture/fixtures";

interface HelperTop {
  samples: number;
  busy: number;
  functions: { function: string; kind: string; file: string; line: number; called_from?: string; self: number; total: number }[];
  quality: unknown;
}

interface HelperCaller {
  function: string;
  file: string;
  line: number;
  at_or_below: boolean;
  samples: number;
  callers: HelperCaller[];
}

interface HelperBlame {
  symbols: string[];
  samples: number;
  callers: HelperCaller[];
}

const answer = (name: string): unknown => JSON.parse(readFileSync(`${FIXTURES}/demo.${name}.json`, "utf8"));
const capture = decodeCapture(readFileSync(`${FIXTURES}/demo.pb.gz`));

function rows(top: TopAnswer) {
  return top.rows.map(({ name, kind, file, line, calledFrom, self, total }) => ({
    function: name, kind, file, line, ...(calledFrom === "" ? {} : { called_from: calledFrom }), self, total,
  }));
}

const samples = naiveSamples(`${FIXTURES}/demo.pb.gz`);

function samplesWith(name: string): number {
  return samples.reduce((sum, { frames, count }) => (frames.some((frame) => frame.name === name) ? sum + count : sum), 0);
}

/** The helper lists an Erlang function twice when some of its samples have no line; here that is one function. */
function withoutTwins(functions: HelperTop["functions"]): HelperTop["functions"] {
  const isTwin = (row: HelperTop["functions"][number]) => row.kind === "erlang" && row.file === "" && row.line === 0;
  const twins = functions.filter((row) => isTwin(row) && functions.some((other) => other.function === row.function && !isTwin(other)));
  assert.ok(twins.length > 0);
  return functions
    .filter((row) => !twins.includes(row))
    .map((row) => {
      const twin = twins.find((other) => other.function === row.function && row.kind === "erlang");
      return twin ? { ...row, self: row.self + twin.self, total: samplesWith(row.function) } : row;
    })
    .sort((a, b) => b.self - a.self || b.total - a.total || (a.function < b.function ? -1 : 1));
}

for (const [name, onlyErlang] of [["top", false], ["top-only-erlang", true]] as const) {
  test(`${name} has the helper's rows`, () => {
    const expected = answer(name) as HelperTop;
    const top = capture.top({}, onlyErlang);
    assert.deepEqual({ samples: top.samples, busy: top.busy }, { samples: expected.samples, busy: expected.busy });
    assert.deepEqual(
      rows(top),
      withoutTwins(expected.functions).map(({ function: named, kind, file, line, called_from, self, total }) => ({
        function: named, kind, file, line, ...(called_from === undefined ? {} : { called_from }), self, total,
      })),
    );
    assert.deepEqual(capture.facts.quality, expected.quality);
  });
}

for (const query of ["copy_struct", "gc"]) {
  test(`blame ${query} has the helper's callers at every depth`, () => {
    const expected = answer(`blame-${query}`) as HelperBlame;
    const blame = capture.blame(query);
    const trim = (callers: readonly BlameCaller[]): HelperCaller[] =>
      callers.map(({ name, file, line, atOrBelow, samples, callers: more }) => ({ function: name, file, line, at_or_below: atOrBelow, samples, callers: trim(more) }));
    const bare = (callers: HelperCaller[]): HelperCaller[] =>
      callers.map(({ function: named, file, line, at_or_below, samples, callers: more }) => ({ function: named, file, line, at_or_below, samples, callers: bare(more) }));
    assert.equal(blame.matched, expected.samples);
    assert.deepEqual(blame.symbols, expected.symbols);
    assert.deepEqual(trim(blame.callers), bare(expected.callers));
    assert.equal(blame.callers.reduce((sum, caller) => sum + caller.samples, 0), blame.matched);
  });
}
