import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FRAME_KINDS } from "../../../contract/flame-data.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { ProfileBuilder } from "./profile-builder.js";
import { naiveSamples, type NaiveFrame, type NaiveSample } from "./naive-profile.js";

const FILE = "test/unit/capture/fixtures/demo.pb.gz";
const samples = naiveSamples(FILE);
const sum = (list: readonly { count: number }[]) => list.reduce((total, { count }) => total + count, 0);
const isDemo = (name: string) => name.includes("demo_");

/** The innermost frame of the demo's own modules, unless the frames above it are unknown. */
function ownFrame({ frames, labels }: NaiveSample): NaiveFrame | undefined {
  return labels["trust"] === "bracketed"
    ? undefined
    : frames.find(({ kind, name }) => kind === "erlang" && isDemo(name));
}

function marked() {
  const capture = decodeCapture(readFileSync(FILE));
  const own = capture.functions.flatMap(({ name, kind }, index) => (kind === "erlang" && isDemo(name) ? [index] : []));
  assert.ok(own.length > 10);
  assert.equal(capture.addOwnCode(own), true);
  assert.equal(capture.addOwnCode(own), false, "nothing new");
  return { capture, own };
}

test("a sample counts for its innermost frame of own code, by function and by line", () => {
  const { capture, own } = marked();
  for (const index of own) {
    const { name } = capture.functions[index] ?? { name: "" };
    const mine = samples.filter((sample) => ownFrame(sample)?.name === name);
    assert.equal(capture.functionCounts(index).own, sum(mine), name);
    for (const { line, own: ofLine } of capture.functionLines(index))
      assert.equal(ofLine, sum(mine.filter((sample) => ownFrame(sample)?.line === line)), `${name} line ${line}`);
  }
  assert.equal(capture.ownSamples, sum(samples.filter((sample) => ownFrame(sample) !== undefined)));
  assert.ok(capture.ownSamples > 0.5 * capture.totals.busy, "else this proves little");
});

test("nothing is own before it is set, nor after it is cleared", () => {
  const { capture, own } = marked();
  capture.forgetOwnCode();
  assert.equal(capture.ownSamples, 0);
  assert.equal(
    own.some((index) => capture.isOwnCode(index) || capture.functionCounts(index).own > 0),
    false,
  );
  assert.equal(capture.addOwnCode([-1, capture.functions.length, 1e9]), false, "no such functions");
});

test("what own code called adds up to its own time", () => {
  const { capture, own } = marked();
  for (const index of own) {
    const detail = capture.placeDetail(index);
    assert.equal(detail.own, capture.functionCounts(index).own);
    const { name } = capture.functions[index] ?? { name: "" };
    const expected = new Map<string, number>();
    for (const sample of samples) {
      if (ownFrame(sample)?.name !== name) continue;
      const at = sample.frames.findIndex((frame) => frame === ownFrame(sample));
      const callee = sample.frames.slice(0, at).findLast(({ kind }) => kind === "erlang" || kind === "bif");
      const key = callee?.name ?? String(sample.labels["class"]);
      expected.set(key, (expected.get(key) ?? 0) + sample.count);
    }
    const shown = detail.called.map(({ functionIndex, sampleClass, samples: count }) => [
      functionIndex < 0 ? String(sampleClass) : capture.functions[functionIndex]?.name,
      count,
    ]);
    assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(expected), name);
  }
});

test("time in own C code is own, and its callees have the class of the VM", () => {
  const profile = new ProfileBuilder().type("samples", "count").comment("extrospect/settings {}");
  profile.function(1, "digest", "nif!digest", "digest.c", 4).location(1, [[1, 7]]);
  profile.function(2, "memmove", "native!memmove").location(2, [[2, 0]]);
  profile.function(3, "shop:hash/1", "erlang!shop:hash/1", "shop.erl", 1).location(3, [[3, 2]]);
  const labels = [{ key: profile.string("class"), text: profile.string("nif") }];
  profile.sample({ locations: [1, 3], values: [5], labels }).sample({ locations: [2, 1, 3], values: [2], labels });
  const capture = decodeCapture(profile.message());
  capture.addOwnCode([capture.functionNamed("digest"), capture.functionNamed("shop:hash/1")]);
  const { own, called } = capture.placeDetail(capture.functionNamed("digest"), 7);
  assert.equal(own, 7);
  assert.deepEqual(called, [
    { functionIndex: -1, sampleClass: "erlang", samples: 5 },
    { functionIndex: -1, sampleClass: "nif", samples: 2 },
  ]);
});

test("the table of functions has own time, of filtered samples too", () => {
  const { capture } = marked();
  const busy = {
    classes: capture
      .classSplit()
      .flatMap(({ sampleClass }) => (sampleClass === null || sampleClass === "idle" ? [] : [sampleClass])),
  };
  for (const filter of [undefined, busy, { classes: ["gc" as const] }]) {
    const answer = capture.top(filter);
    const wanted = samples.filter(
      ({ labels }) => filter === undefined || filter.classes.some((each) => each === labels["class"]),
    );
    assert.equal(answer.own, sum(wanted.filter((sample) => ownFrame(sample) !== undefined)));
    for (const { name, kind, own } of answer.rows)
      if (kind === "erlang") assert.equal(own, sum(wanted.filter((sample) => ownFrame(sample)?.name === name)), name);
  }
});

test("blame by own code finds the nearest own function, and shows the part without own code", () => {
  const { capture } = marked();
  const answer = capture.blame("gc", undefined, true);
  assert.equal(answer.matched, capture.blame("gc").matched);
  assert.equal(
    answer.callers.reduce((total, caller) => total + caller.samples, 0),
    answer.matched,
  );
  assert.ok(answer.callers.every(({ functionIndex, name }) => functionIndex < 0 || isDemo(name)));
  assert.ok(answer.callers.some(({ name }) => name === "[no own code]"));
  assert.ok(
    capture.blame("gc").callers.some(({ functionIndex, name }) => functionIndex >= 0 && !isDemo(name)),
    "without it there are others",
  );
});

test("flame graphs know which functions are own code", () => {
  const { capture } = marked();
  const data = capture.flame(
    { inverted: false, hideNative: false, hideKernel: false, collapseRecursion: true, groupBy: "none" },
    undefined,
    String,
  );
  assert.equal(data.functionIsOwn.length, data.functionNames.length);
  data.functionNames.forEach((name, index) =>
    assert.equal(
      data.functionIsOwn[index] === 1,
      FRAME_KINDS[data.functionKinds[index] ?? 0] === "erlang" && isDemo(name),
      name,
    ),
  );
});
