// Node against node: the files of two nodes of one capture, as the editor's own module compares them.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { compareCaptures } from "../../../extension/src/editor-module/editor-module.js";
import { comparedMessage } from "../../../extension/src/panels/compare/compared-rows.js";
import { ProfileBuilder } from "../capture/profile-builder.js";

const MODULE = {
  module: resolve("dist/editor-module/editor-module.wasm"),
  thread: resolve("dist/extension/editor-module-thread.cjs"),
};
const MEMORY = 6;
const COLLECTIONS = 10;

/** A capture of one node: its run queue, its memory and how often it collects, a reading each second. */
function node(name: string, runQueues: readonly number[], memory: number, collectionsEachSecond: number): Uint8Array {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .comment(`extrospect/target {"pid":7,"otp_release":"27","node":"${name}"}`)
    .comment('extrospect/settings {"frequency_hz":99,"started_unix_ns":1700000000000000000}')
    .function(1, "shop:cart/1", "erlang!shop:cart/1", "src/shop.erl", 3)
    .location(1, [[1, 4]]);
  profile.sample({ locations: [1], values: [400] });
  runQueues.forEach((waiting, at) =>
    profile.reading(at * 1000, waiting, { [MEMORY]: memory, [COLLECTIONS]: 1000 + at * collectionsEachSecond }),
  );
  return profile.gzip();
}

test("the tracks of two nodes of one capture are compared, each with its own", async () => {
  const [a, b] = [node("a@h", [2, 4, 6], 1e9, 50), node("b@h", [30, 30], 3e9, 7)];
  const joined = joinedCapture();
  for (const [name, bytes] of [["a@h", a] as const, ["b@h", b] as const]) joined.addNode(name, decodeCapture(bytes));
  joined.catchUp();
  assert.deepEqual(
    joined.nodeShares().map(({ name, busy }) => [name, busy]),
    [
      ["a@h", 400],
      ["b@h", 400],
    ],
  );
  const side = (name: string) => ({ name, captures: [{ name: `${name}.pb.gz`, own: null }] });
  const answer = await compareCaptures(
    MODULE,
    { base: side("a@h"), new: side("b@h"), measure: null, anyway: false, base_texts: {}, new_texts: {}, renamed: [] },
    [a, b],
  );
  assert.ok(answer.type === "compared", JSON.stringify(answer));
  const { tracks } = comparedMessage(
    answer.value,
    { base: ["a"], new: ["b"], measure: null },
    { base: ["a"], new: ["b"] },
    [],
  );
  const mean = (value: number) => ({ captures: 1, mean: value, least: value, most: value });
  // One capture of each shows nothing about chance, so there is no verdict.
  assert.deepEqual(tracks, [
    { track: "runQueue", base: mean(4), new: mean(30), verdict: null },
    { track: "memory", base: mean(1e9), new: mean(3e9), verdict: null },
    { track: "collectionRate", base: mean(50), new: mean(7), verdict: null },
  ]);
});
