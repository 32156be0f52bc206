// Which side is the older one, and the names of the sides.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaptureFacts } from "../../../extension/src/capture/questions.js";
import {
  olderFirst,
  ownFunctions,
  sideNames,
  type NamedCapture,
} from "../../../extension/src/comparison/comparison-sides.js";

const WORDS = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};

function capture(file: string, { commit = "", dirty = false, startedUnixMs = 0 } = {}): NamedCapture {
  const origin = { repository: "", commit, branch: "", dirty, describe: "", sources: {}, assigned: false };
  const facts = { startedUnixMs, ...(commit === "" ? {} : { origin }) } as CaptureFacts;
  return { uri: { path: `/captures/${file}` }, capture: { facts } };
}

test("of two captures the one that was recorded first is the older; those without a time come last, in their order", () => {
  const [late, early, unknown] = [
    capture("late", { startedUnixMs: 20 }),
    capture("early", { startedUnixMs: 10 }),
    capture("unknown"),
  ];
  assert.deepEqual(olderFirst([unknown, late, early]), [early, late, unknown]);
  const other = capture("other");
  assert.deepEqual(olderFirst([unknown, other]), [unknown, other]);
});

test("sides are called by their differences: commits, else files, as remarks name them, else files in folders", () => {
  const [a, b] = ["ab12cd3f00", "77aa001e00"];
  assert.deepEqual(
    sideNames(
      [capture("x", { commit: a }), capture("y", { commit: a })],
      [capture("z", { commit: b, dirty: true })],
      WORDS,
    ),
    { base: "ab12cd3", new: "77aa001+" },
  );
  // Captures of one commit are distinguished by their files.
  assert.deepEqual(sideNames([capture("x", { commit: a })], [capture("y", { commit: a })], WORDS), {
    base: "x",
    new: "y",
  });
  assert.deepEqual(sideNames([capture("old/x")], [capture("new/x")], WORDS), { base: "old/x", new: "new/x" });
  assert.deepEqual(sideNames([capture("x.pb.gz")], [capture("y.pb.gz"), capture("z.pb.gz")], WORDS), {
    base: "x.pb.gz",
    new: "y.pb.gz and 1 more",
  });
});

test("own functions go by name and file, and are not known where the capture names none", () => {
  const functions = [
    { name: "shop:cart/1", file: "src/shop.erl" },
    { name: "lists:map/2", file: "lists.erl" },
  ].map((fn) => ({ ...fn, rawName: fn.name, kind: "erlang" as const, headLine: 1, object: "" }));
  assert.deepEqual(ownFunctions({ functions, isOwnCode: (index) => index === 0 }), [["shop:cart/1", "src/shop.erl"]]);
  assert.equal(ownFunctions({ functions, isOwnCode: () => false }), null);
});
