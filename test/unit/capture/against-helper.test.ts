// The helper's own answers about a capture, row by row.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { BlameCaller, TopAnswer } from "../../../extension/src/capture/questions.js";

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
    function: name,
    kind,
    file,
    line,
    ...(calledFrom === "" ? {} : { called_from: calledFrom }),
    self,
    total,
  }));
}

/** A saved answer, with the figures that were not counted when it was saved: those are what a reader takes them for. @returns a copy */
function withFigures(saved: unknown, read: unknown): unknown {
  if (typeof saved !== "object" || saved === null || typeof read !== "object" || read === null || Array.isArray(saved)) return saved;
  const known = saved as Readonly<Record<string, unknown>>;
  const all = Object.entries(read).map(([key, value]) => [key, key in known ? withFigures(known[key], value) : value] as const);
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

for (const [name, options] of [
  ["top", {}],
  ["top-only-erlang", { onlyErlang: true }],
  ["top-addresses", { withAddresses: true }],
] as const) {
  test(`${name} has the helper's rows`, () => {
    const expected = answer(name) as HelperTop;
    const top = capture.top({}, options);
    assert.deepEqual({ samples: top.samples, busy: top.busy }, { samples: expected.samples, busy: expected.busy });
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
      callers.map(({ name, file, line, atOrBelow, samples, callers: more }) => ({ function: name, file, line, at_or_below: atOrBelow, samples, callers: trim(more) }));
    const bare = (callers: HelperCaller[]): HelperCaller[] =>
      callers.map(({ function: named, file, line, at_or_below, samples, callers: more }) => ({ function: named, file, line, at_or_below, samples, callers: bare(more) }));
    assert.equal(blame.matched, expected.samples);
    assert.deepEqual(blame.symbols, expected.symbols);
    assert.deepEqual(trim(blame.callers), bare(expected.callers));
    assert.equal(
      blame.callers.reduce((sum, caller) => sum + caller.samples, 0),
      blame.matched,
    );
  });
}
