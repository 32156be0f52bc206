import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { captureErrorWords } from "../../../extension/src/captures/unreadable-words.js";
import { topNodes } from "../../../extension/src/panels/top/top-nodes.js";
import { errorText } from "../../../extension/src/text/error-text.js";
import { GERMAN } from "../german.js";

const DEMO = readFileSync("test/unit/capture/fixtures/demo.pb.gz");

test("a row for each node with the figures of its own capture; none for a capture of one VM", () => {
  const alone = decodeCapture(DEMO);
  assert.deepEqual(topNodes(alone, errorText), []);
  const joined = joinedCapture();
  joined.addNode("a", alone, () => 250);
  joined.addNode("b", decodeCapture(DEMO));
  joined.catchUp();
  const of = (wanted: string) => alone.classSplit().find(({ sampleClass }) => sampleClass === wanted)?.samples ?? 0;
  assert.ok(of("gc") > 0 && of("copy") > 0);
  const row = {
    ...alone.totals,
    gc: of("gc"),
    copy: of("copy"),
    scheduler: of("scheduler"),
    runQueue: null,
    clockAheadAtEndMs: null,
    problem: "",
  };
  assert.deepEqual(topNodes(joined, errorText), [
    { name: "a", ...row, clockAheadMs: 250 },
    { name: "b", ...row, clockAheadMs: 0 },
  ]);
});

test("each figure of a node is its own", () => {
  const runQueue = { mean: 1.5, most: 9, last: 4, of: [], atMs: [] };
  const share = { samples: 100, busy: 60, classes: [{ sampleClass: "gc" as const, samples: 7 }] };
  const capture = {
    nodeShares: () => [
      { name: "b", ...share },
      { name: "a", ...share },
    ],
    facts: { nodes: [{ name: "a", clockAheadMs: 1, clockAheadAtEndMs: 2, runQueue }] },
  } as unknown as Parameters<typeof topNodes>[0];
  const row = { samples: 100, busy: 60, gc: 7, copy: 0, scheduler: 0, problem: "" };
  assert.deepEqual(topNodes(capture, errorText), [
    { name: "b", ...row, runQueue: null, clockAheadMs: 0, clockAheadAtEndMs: null },
    { name: "a", ...row, runQueue: { mean: 1.5, most: 9, last: 4 }, clockAheadMs: 1, clockAheadAtEndMs: 2 },
  ]);
});

test("why samples of a node are missing is in the user's language", () => {
  const joined = joinedCapture();
  joined.addNode("a", decodeCapture(DEMO));
  // Of another program: it is checked once its facts are there.
  const late = newCapture();
  joined.addNode("b", late);
  late.append(readFileSync("test/unit/capture/fixtures/go-cpu.pb.gz"));
  joined.catchUp();
  assert.equal(joined.facts.nodes?.[1]?.problem?.problem, "notTogether");
  const [, row] = topNodes(joined, (problem) => captureErrorWords(problem, GERMAN));
  assert.equal(row?.problem, "ein anderes Programm hat sie geschrieben");
});
