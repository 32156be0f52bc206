// How much of the time of a side is in a function, in its lines, and in the functions below it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlameData } from "../../../contract/flame-data.js";
import { functionKey, sideTimes, type TimedCapture } from "../../../extension/src/comparison/function-times.js";

const FILE = "src/shop.erl";
const NEVER = new AbortController().signal;

interface Run {
  readonly busy: number;
  readonly total?: number;
  readonly lines?: readonly (readonly [line: number, total: number])[];
  /** Below the function: depth, name and samples, as they are drawn. */
  readonly callees?: readonly (readonly [depth: number, name: string, total: number])[];
}

/** With as many idle samples as busy ones; without a total it lacks the function. */
function capture({ busy, total, lines = [], callees = [] }: Run): TimedCapture {
  const names = ["shop:cart/1", ...new Set(callees.map(([, name]) => name))];
  const nodes = [[0, "shop:cart/1", total ?? 0] as const, ...callees];
  const graph = {
    functionNames: names,
    functionFiles: names.map(() => FILE),
    nodeFunction: Uint32Array.from(nodes, ([, name]) => names.indexOf(name)),
    nodeDepth: Uint16Array.from(nodes, ([depth]) => depth),
    nodeTotal: Uint32Array.from(nodes, ([, , samples]) => samples),
  };
  return {
    totals: { samples: 2 * busy, busy },
    functions: [
      { name: "shop:cart/1", file: "src/other.erl" },
      ...(total === undefined ? [] : [{ name: "shop:cart/1", file: FILE }]),
    ],
    functionCounts: (index: number) => ({ own: 0, self: 0, total: index === 1 ? total : 999 }),
    functionLines: () => lines.map(([line, samples]) => ({ line, own: 0, self: 0, total: samples })),
    sandwich: () => ({ callers: {} as FlameData, callees: graph as unknown as FlameData }),
  } as unknown as TimedCapture;
}

test("shares are of the busy samples of all captures of a side, also of those without the function", async () => {
  const { total, lines, below } = await sideTimes(
    [
      capture({
        busy: 100,
        total: 50,
        lines: [
          [4, 30],
          [0, 5],
          [7, 15],
        ],
        callees: [[1, "lists:sum/1", 20]],
      }),
      capture({ busy: 200, total: 70, lines: [[4, 70]], callees: [[1, "lists:sum/1", 10]] }),
      capture({ busy: 100 }),
    ],
    "shop:cart/1",
    FILE,
    NEVER,
  );
  assert.equal(total, 120 / 400);
  assert.deepEqual(
    [...lines],
    [
      [4, 100 / 400],
      [7, 15 / 400],
    ],
    "a line that is not known is none",
  );
  assert.deepEqual([...below], [[functionKey("lists:sum/1", FILE), 30 / 400]]);
});

test("a function that is below itself counts once, one that is called from two places twice", async () => {
  const { below } = await sideTimes(
    [
      capture({
        busy: 100,
        total: 90,
        callees: [
          [1, "a", 50],
          [2, "b", 40],
          [3, "a", 30],
          [4, "shop:cart/1", 20],
          [1, "b", 25],
          [2, "a", 5],
        ],
      }),
    ],
    "shop:cart/1",
    FILE,
    NEVER,
  );
  assert.deepEqual(
    [...below].map(([key, share]) => [key.split("\n")[0], Math.round(share * 100)]),
    [
      ["a", 55],
      ["b", 65],
    ],
    "and the function itself, below itself, is none of those that it calls",
  );
});

test("without busy samples no share is anything, and one that nobody waits for ends", async () => {
  const { total, lines, below } = await sideTimes([capture({ busy: 0, total: 0 })], "shop:cart/1", FILE, NEVER);
  assert.deepEqual([total, lines.size, below.size], [0, 0, 0]);
  const given = new AbortController();
  given.abort(new Error("another question"));
  await assert.rejects(sideTimes([capture({ busy: 1 })], "shop:cart/1", FILE, given.signal), /another question/);
});
