// Profiles of other programs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { naiveSamples } from "./naive-profile.js";
import { ProfileBuilder } from "./profile-builder.js";

const FIXTURES = "test/unit/capture/fixtures";
const FLAME = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: false,
  groupBy: "none",
} as const;
const CPU = `${FIXTURES}/go-cpu.pb.gz`;

test("a CPU profile of a Go program: time by function, inlined ones included", () => {
  const capture = decodeCapture(readFileSync(CPU));
  const samples = naiveSamples(CPU, 1); // samples/count, cpu/nanoseconds
  assert.equal(capture.facts.isOwn, false);
  assert.equal(capture.facts.unit, "nanoseconds of cpu");
  assert.equal(capture.facts.quality, null);
  assert.ok(capture.facts.startedUnixMs > 0 && capture.facts.durationMs > 1000);
  const all = samples.reduce((sum, { count }) => sum + count, 0);
  assert.deepEqual(capture.totals, { samples: all, busy: all });
  const named = new Map<string, { self: number; total: number }>();
  for (const { frames, count } of samples) {
    for (const name of new Set(frames.map((frame) => frame.name)))
      named.set(name, { self: named.get(name)?.self ?? 0, total: (named.get(name)?.total ?? 0) + count });
    const leaf = frames[0]?.name ?? "";
    named.set(leaf, { self: (named.get(leaf)?.self ?? 0) + count, total: named.get(leaf)?.total ?? 0 });
  }
  for (const { name, self, total } of capture.top().rows) assert.deepEqual({ self, total }, named.get(name), name);
  assert.equal(capture.top().rows.length, named.size);
  assert.ok(capture.functions.some(({ file }) => file.endsWith("main.go")));
  // The leaf owns: all functions of a Go program have files.
  for (const { name, functionIndex, self, total, file } of capture.top().rows)
    if (file !== "") assert.deepEqual(capture.functionCounts(functionIndex), { own: 0, self, total }, name);
  const flame = capture.flame(FLAME);
  assert.equal(flame.totalSamples, all);
  assert.equal(flame.periodNs, 1);
  assert.deepEqual(capture.classSplit(), [{ sampleClass: null, samples: all }]);
  const timeline = capture.timeline(100);
  assert.deepEqual([...timeline.busy], [all]);
  const blame = capture.blame("runtime.mallocgcSmallNoscan");
  assert.ok(blame.matched > 0);
  assert.ok(blame.callers.every(({ name }) => name !== "runtime.mallocgcSmallNoscan"));
});

test("only groups with results can be selected", () => {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .function(1, "copy_struct")
    .location(1, [[1, 3]]);
  const capture = decodeCapture(profile.sample({ locations: [1], values: [2] }).message());
  assert.deepEqual(
    capture.blameChoices().map(({ query }) => query),
    ["copy", "copy_struct"],
  );
  assert.deepEqual(
    ["copy", "gc", "copy_struct"].map((query) => capture.isBlameGroup(query)),
    [true, false, false],
  );
});

test("a heap profile shows its default value first", () => {
  const path = `${FIXTURES}/go-heap.pb.gz`;
  const capture = decodeCapture(readFileSync(path));
  assert.equal(capture.facts.unit, "bytes of inuse_space");
  assert.equal(
    capture.totals.samples,
    naiveSamples(path, 3).reduce((sum, { count }) => sum + count, 0),
  );
});

test("not compressed", () => {
  assert.deepEqual(decodeCapture(gunzipSync(readFileSync(CPU))).top(), decodeCapture(readFileSync(CPU)).top());
});

test("values beyond 32 bits are counted in a larger unit, and nothing is lost in sum", () => {
  const profile = new ProfileBuilder()
    .type("alloc_space", "bytes")
    .function(1, "a")
    .function(2, "b")
    .location(1, [[1, 0]])
    .location(2, [[2, 0]]);
  for (let index = 0; index < 1000; index++)
    profile.sample({ locations: [1], values: [5_000_000_001] }).sample({ locations: [2], values: [1500] });
  const capture = decodeCapture(profile.gzip());
  assert.equal(capture.facts.unit, "mebibytes of alloc_space");
  assert.equal(capture.totals.samples, Math.floor((1000 * 5_000_000_001 + 1500 * 1000) / 2 ** 20));
});

test("the value named as default counts, else the last", () => {
  const build = (preferred: string) => {
    const profile = new ProfileBuilder().type("alloc", "count").type("live", "count").type("size", "things");
    if (preferred !== "") profile.scalar(14, profile.string(preferred));
    return decodeCapture(
      profile
        .function(1, "f")
        .location(1, [[1, 0]])
        .sample({ locations: [1], values: [3, 5, 7] })
        .gzip(),
    );
  };
  assert.deepEqual([build("live").totals.samples, build("live").facts.unit], [5, "count of live"]);
  assert.deepEqual([build("").totals.samples, build("").facts.unit], [7, "things of size"]);
  assert.equal(build("unheard of").totals.samples, 7);
});

test("addresses without a function, kernel mappings, numbers one by one, negative values", () => {
  const profile = new ProfileBuilder().type("samples", "count").periodType("cpu", "nanoseconds", 10_000_000);
  profile.mapping(1, "[kernel.kallsyms]_text").mapping(2, "/usr/lib/libthing.so.1");
  profile
    .function(1, "do_syscall_64")
    .function(2, "work", "work", "work.c", 10)
    .location(1, [[1, 0]], { mapping: 1 })
    .location(2, [[2, 12]], { mapping: 2 });
  profile.location(3, [], { mapping: 2, address: 0xdead }).location(4, [], { mapping: 1, address: 0xbeef });
  const value = profile.string("value");
  profile.sample({
    locations: [1, 2],
    values: [2],
    labels: [{ key: profile.string("thread"), text: value }],
    unusual: true,
  });
  profile
    .sample({ locations: [3, 2], values: [3] })
    .sample({ locations: [4, 3, 2], values: [1] })
    .sample({ locations: [2], values: [-5] });
  const capture = decodeCapture(profile.message());
  assert.deepEqual(capture.facts.unit, "samples");
  assert.equal(capture.facts.frequencyHz, 100);
  assert.equal(capture.totals.samples, 6);
  const facts = (name: string) => capture.functions[capture.functionNamed(name)];
  assert.equal(facts("do_syscall_64")?.kind, "kernel");
  assert.deepEqual([facts("0xdead")?.kind, facts("0xdead")?.object], ["native", "libthing.so.1"]);
  assert.equal(facts("0xbeef")?.kind, "kernel");
  // A function with a file owns the samples of the functions that it calls.
  assert.deepEqual(capture.functionCounts(capture.functionNamed("work")), { own: 0, self: 6, total: 6 });
  assert.deepEqual(capture.functionLines(capture.functionNamed("work")), [{ line: 12, own: 0, self: 6, total: 6 }]);
  assert.equal(capture.flame({ ...FLAME, hideKernel: true, hideNative: true }).nodeFunction.length, 2);
});

test("a long stack packed, with a value that is not, and a label with an unknown field", () => {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .function(1, "work")
    .location(1, [[1, 3]]);
  const [key, text] = [profile.string("thread"), profile.string("value")];
  const stack = [0x0a, 0xc8, 0x01, ...Array<number>(200).fill(1)];
  const label = [0x1a, 9, 0x08, key, 0x3d, 1, 2, 3, 4, 0x10, text];
  const sample = (...fields: number[]) =>
    profile.raw(Uint8Array.from([0x12, (fields.length & 0x7f) | 0x80, fields.length >> 7, ...fields]));
  sample(...stack, 0x10, 5);
  sample(...stack, 0x12, 1, 7, ...label);
  sample(...label, ...stack, 0x12, 1, 9, 0x20, 1);
  const capture = decodeCapture(profile.message());
  assert.equal(capture.totals.samples, 21);
  assert.deepEqual(capture.functionCounts(capture.functionNamed("work")), { own: 0, self: 21, total: 21 });
  assert.equal(capture.flame(FLAME).nodeFunction.length, 201);
});

test("labels in any order, the bucket among them", () => {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .comment("extrospect/settings {}")
    .function(1, "m:f/0", "erlang!m:f/0")
    .location(1, [[1, 1]]);
  const [bucket, sampleClass, gc, copy] = ["bucket_ms", "class", "gc", "copy"].map((text) => profile.string(text)) as [
    number,
    number,
    number,
    number,
  ];
  const at = (number: number) => ({ key: bucket, number });
  profile.sample({ locations: [1], values: [1], labels: [at(100), { key: sampleClass, text: gc }] });
  profile.sample({ locations: [1], values: [2], labels: [at(200), { key: sampleClass, text: gc }] });
  profile.sample({ locations: [1], values: [4], labels: [{ key: sampleClass, text: copy }, at(200)] });
  profile.sample({ locations: [1], values: [8], labels: [at(300), { key: sampleClass, text: copy }], unusual: true });
  profile.sample({ locations: [1], values: [16] });
  const capture = decodeCapture(profile.gzip());
  assert.deepEqual(capture.classSplit(), [
    { sampleClass: null, samples: 16 },
    { sampleClass: "copy", samples: 12 },
    { sampleClass: "gc", samples: 3 },
  ]);
  assert.equal(capture.filteredTotals({ timeMs: { from: 200, to: 201 } }).samples, 6);
  assert.equal(capture.filteredTotals({ timeMs: { from: 300, to: 400 }, classes: ["copy"] }).samples, 8);
});

test("what the helper imported counts samples, whatever the other tool weighed them by", () => {
  const made = (comment: string) => {
    const profile = new ProfileBuilder()
      .type("samples", "count")
      .type("cpu", "nanoseconds")
      .function(1, "cart")
      .location(1, [[1, 3]])
      .comment(comment);
    return decodeCapture(profile.sample({ locations: [1], values: [12, 12_036_108] }).message());
  };
  const imported = made('extrospect/import {"event":"","format":"speedscope","notes":[]}');
  assert.deepEqual([imported.totals.samples, imported.facts.unit, imported.facts.isOwn], [12, "samples", false]);
  assert.deepEqual(made("of another tool").totals.samples, 12_036_108);
});
