import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { topNodes } from "../../../extension/src/panels/top/top-nodes.js";

const DEMO = readFileSync("test/unit/capture/fixtures/demo.pb.gz");

test("a row for each node with what its own capture says; none for a capture of one VM", () => {
  const alone = decodeCapture(DEMO);
  assert.deepEqual(topNodes(alone), []);
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
  assert.deepEqual(topNodes(joined), [
    { name: "a", ...row, clockAheadMs: 250 },
    { name: "b", ...row, clockAheadMs: 0 },
  ]);
});
