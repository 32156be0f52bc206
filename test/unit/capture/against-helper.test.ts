// The helper's own answers about a capture, row by row.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { wholeOf } from "../../../contract/capture-answers.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { BlameCaller, TopAnswer } from "../../../extension/src/capture/questions.js";
import { busyOnly } from "../../../extension/src/panels/capture-panel/busy-only.js";

const FIXTURES = "test/unit/capture/fixtures";

interface HelperTop {
  samples: number;
  busy: number;
  functions: {
    function: string;
    kind: string;
    file: string;
    line: number;
    called_from?: string;
    self: number;
    total: number;
  }[];
  quality: unknown;
}

interface HelperCaller {
  function: string;
  file: string;
  line: number;
  at_or_below: boolean;
  samples: number;
  pct_of_all: number;
  pct_of_busy: number;
  callers: HelperCaller[];
}

interface HelperBlame {
  symbols: string[];
  samples: number;
  all: number;
  busy: number;
  callers: HelperCaller[];
}

const answer = (name: string): unknown => JSON.parse(readFileSync(`${FIXTURES}/demo.${name}.json`, "utf8"));
const capture = decodeCapture(readFileSync(`${FIXTURES}/demo.pb.gz`));

function rows(top: TopAnswer) {
  return top.rows.map(({ name, kind, file, line, calledFrom, self, total }) => ({
    function: name,
    kind,
    file,
    line,
    ...(calledFrom === "" ? {} : { called_from: calledFrom }),
    self,
    total,
  }));
}

/**
 * A saved answer, with the figures that were not counted when it was saved: they have the values that a reader gives
 * them.
 * @returns a copy
 */
function withFigures(saved: unknown, read: unknown): unknown {
  if (typeof saved !== "object" || saved === null || typeof read !== "object" || read === null || Array.isArray(saved))
    return saved;
  const known = saved as Readonly<Record<string, unknown>>;
  const all = Object.entries(read).map(
    ([key, value]) => [key, key in known ? withFigures(known[key], value) : value] as const,
  );
  return { ...known, ...Object.fromEntries(all) };
}

/** Some code of a function, its prologue, has no line of its own: that must not make a second function of it. */
test("no function is listed twice", () => {
  const { functions } = answer("top") as HelperTop;
  const names = functions.filter(({ kind }) => kind === "erlang").map((row) => row.function);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

for (const [name, options, percentOf] of [
  ["top", {}, "all"],
  ["top-only-erlang", { onlyErlang: true }, "all"],
  ["top-addresses", { withAddresses: true }, "all"],
  ["top-busy", {}, "busy"],
  ["top-busy-only-erlang", { onlyErlang: true }, "busy"],
] as const) {
  test(`${name} has the helper's rows`, () => {
    const expected = answer(name) as HelperTop;
    const top = capture.top(percentOf === "busy" ? busyOnly(capture) : {}, options);
    const { samples, busy } = expected;
    assert.deepEqual(capture.totals, { samples, busy });
    assert.deepEqual({ samples: top.samples, busy: top.busy }, { samples: wholeOf(expected, percentOf), busy });
    assert.deepEqual(
      rows(top),
      expected.functions.map(({ function: named, kind, file, line, called_from, self, total }) => ({
        function: named,
        kind,
        file,
        line,
        ...(called_from === undefined ? {} : { called_from }),
        self,
        total,
      })),
    );
    assert.deepEqual(capture.facts.quality, withFigures(expected.quality, capture.facts.quality));
  });
}

for (const query of ["copy_struct", "gc"]) {
  test(`blame ${query} has the helper's callers at every depth`, () => {
    const expected = answer(`blame-${query}`) as HelperBlame;
    const blame = capture.blame(query);
    const trim = (callers: readonly BlameCaller[]): HelperCaller[] =>
      callers.map(({ name, file, line, atOrBelow, samples, callers: more }) => ({
        function: name,
        file,
        line,
        at_or_below: atOrBelow,
        samples,
        pct_of_all: (100 * samples) / wholeOf(blame, "all"),
        pct_of_busy: (100 * samples) / wholeOf(blame, "busy"),
        callers: trim(more),
      }));
    const bare = (callers: HelperCaller[]): HelperCaller[] =>
      callers.map(({ function: named, file, line, at_or_below, samples, callers: more, ...shares }) => ({
        function: named,
        file,
        line,
        at_or_below,
        samples,
        pct_of_all: shares.pct_of_all,
        pct_of_busy: shares.pct_of_busy,
        callers: bare(more),
      }));
    assert.equal(blame.matched, expected.samples);
    assert.deepEqual({ samples: blame.samples, busy: blame.busy }, { samples: expected.all, busy: expected.busy });
    assert.deepEqual(blame.symbols, expected.symbols);
    assert.deepEqual(trim(blame.callers), bare(expected.callers));
    assert.equal(
      blame.callers.reduce((sum, caller) => sum + caller.samples, 0),
      blame.matched,
    );
  });
}
