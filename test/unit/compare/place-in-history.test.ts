// Where a function of a capture is in a text whose form is not found: by the lines of heads that the capture has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { placeInHistory, type FunctionPlace } from "../../../extension/src/comparison/place-in-history.js";

const TEXT = Array.from({ length: 30 }, (_, index) => `line ${String(index + 1)}`).join("\n");
const ran = { committed: { path: "src/parser.yrl", text: TEXT }, text: TEXT, state: "same" } as const;
const place = (more: Partial<FunctionPlace>) =>
  placeInHistory(
    { name: "parser:rule/1", file: "src/parser.yrl", headLine: 5, otherHeads: [], sampledLines: [], ...more },
    ran,
  );

test("it ends before the next head, else at its last sampled line, and is in the text", () => {
  assert.deepEqual(place({ otherHeads: [20, 12, 3], sampledLines: [7, 14] })?.ran, { start: 5, end: 11 });
  assert.deepEqual(place({ otherHeads: [5, 3], sampledLines: [14, 7] })?.ran, { start: 5, end: 14 });
  assert.deepEqual(place({ otherHeads: [6] })?.ran, { start: 5, end: 5 });
  assert.deepEqual(place({ sampledLines: [99] })?.ran, { start: 5, end: 30 });
  assert.deepEqual(place({ headLine: 30 })?.ran, { start: 30, end: 30 });
  for (const headLine of [0, 31]) assert.equal(place({ headLine }), undefined);
});
