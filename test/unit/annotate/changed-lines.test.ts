// What changed at the lines of a document: the lines of each capture are shares of that capture.
import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import { changedLines } from "../../../extension/src/annotate/changed-lines.js";
import { heatLines } from "../../../extension/src/annotate/document-heat.js";
import type { Capture, LineCounts } from "../../../extension/src/capture/questions.js";
import type { OpenCapture } from "../../../extension/src/captures/capture-store.js";
import type { FileMapper, LineState, MappedFile } from "../../../extension/src/sources/mapped-file.js";

const DOCUMENT = {} as vscode.TextDocument;

/** One function with these lines; half of its samples are idle ones. */
function opened(busy: number, lines: readonly LineCounts[], unit = "samples"): OpenCapture {
  const capture = {
    facts: { unit },
    functions: [{}],
    totals: { samples: 2 * busy, busy },
    functionLines: () => lines,
  } as unknown as Capture;
  return { capture } as OpenCapture;
}

/** Lines of the text as it is now, by the line that the capture has. */
function mappedTo(fit: MappedFile["fit"], ...lines: readonly (readonly [number, number, LineState])[]): MappedFile {
  return {
    fit,
    functions: [],
    lines: lines.map(([capturedLine, line, state]) => ({ functionIndex: 0, capturedLine, line, state })),
  };
}

const BASELINE = opened(1000, [
  { line: 5, own: 100, self: 10, total: 200 },
  { line: 6, own: 300, self: 300, total: 300 },
]);
const NOW = opened(4000, [
  { line: 5, own: 1600, self: 40, total: 2000 },
  { line: 6, own: 1200, self: 1200, total: 1200 },
]);
/** A line was put above line 5 since the baseline. */
const BEFORE = mappedTo("edited", [5, 6, "moved"], [6, 7, "changed"]);
const AFTER = mappedTo("same", [5, 6, "exact"], [6, 7, "exact"]);

async function changes(attribution: "own" | "self" | "total", before: MappedFile = BEFORE) {
  const asked: unknown[] = [];
  const mapper = {
    map: (document: unknown, of: OpenCapture) => {
      asked.push(document, of);
      return Promise.resolve(before);
    },
  } as unknown as FileMapper;
  const baseline = {
    heldAgainst: (of: OpenCapture) => (of === NOW ? { baseline: BASELINE, spreadPercent: 5 } : undefined),
  };
  const lines = heatLines(NOW.capture, AFTER, { attribution, whole: 4000, minimumPercent: 0 });
  const found = await changedLines(DOCUMENT, NOW, lines, attribution, { baseline, mapper });
  assert.deepEqual(asked, [DOCUMENT, BASELINE], "the text of the baseline is mapped, too");
  return (
    found && [...found].map(([line, { before: was, now, change, isUnsure }]) => [line, was, now, change, isUnsure])
  );
}

test("each side's lines are shares of its own busy samples", async () => {
  assert.deepEqual(await changes("own"), [
    [6, 10, 40, "more", false],
    [7, 30, 30, "none", true],
  ]);
  assert.deepEqual(await changes("self"), [
    [6, 1, 1, "none", false],
    [7, 30, 30, "none", true],
  ]);
  assert.deepEqual(await changes("total"), [
    [6, 20, 50, "more", false],
    [7, 30, 30, "none", true],
  ]);
});

test("without a baseline, and where its text does not fit, lines have no change", async () => {
  assert.equal(await changes("own", mappedTo("differs", [5, 6, "unknown"])), undefined);
  const mapper = { map: () => Promise.resolve(BEFORE) } as unknown as FileMapper;
  const baseline = { heldAgainst: () => undefined };
  assert.equal(await changedLines(DOCUMENT, NOW, [], "own", { baseline, mapper }), undefined);
});

test("lines of a baseline that shows another type of samples are not compared", async () => {
  const mapper = { map: () => Promise.resolve(BEFORE) } as unknown as FileMapper;
  const blocked = opened(1000, [{ line: 5, own: 100, self: 10, total: 200 }], "ms of blocked time");
  const baseline = { heldAgainst: () => ({ baseline: blocked, spreadPercent: 5 }) };
  assert.equal(await changedLines(DOCUMENT, NOW, [], "own", { baseline, mapper }), undefined);
});
