import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { ProfileBuilder } from "./profile-builder.js";
import { naiveSamples, type NaiveFrame, type NaiveSample } from "./naive-profile.js";

const FILE = "test/unit/capture/fixtures/demo.pb.gz";
const capture = decodeCapture(readFileSync(FILE));
const samples = naiveSamples(FILE);
const sum = (list: readonly { count: number }[]) => list.reduce((total, { count }) => total + count, 0);

/** The nearest Erlang frame, unless the frames above it are unknown. */
function owner({ frames, labels }: NaiveSample): NaiveFrame | undefined {
  return labels["trust"] === "bracketed" ? undefined : frames.find(({ kind }) => kind === "erlang");
}

const erlangNames = [
  ...new Set(samples.flatMap(({ frames }) => frames.filter(({ kind }) => kind === "erlang").map(({ name }) => name))),
];

test("self is what the nearest Erlang function owns, total what it is anywhere in", () => {
  assert.ok(erlangNames.length > 50);
  for (const name of erlangNames) {
    assert.deepEqual(
      capture.functionCounts(capture.functionNamed(name)),
      {
        own: 0,
        self: sum(samples.filter((sample) => owner(sample)?.name === name)),
        total: sum(samples.filter(({ frames }) => frames.some((frame) => frame.name === name))),
      },
      name,
    );
  }
});

test("some samples are bracketed and belong to no process", () => {
  const bracketed = samples.filter(({ labels }) => labels["trust"] === "bracketed");
  assert.ok(bracketed.length > 0);
  const owned = erlangNames.reduce(
    (total, name) => total + capture.functionCounts(capture.functionNamed(name)).self,
    0,
  );
  const withErlang = samples.filter(({ frames }) => frames.some(({ kind }) => kind === "erlang"));
  assert.equal(
    owned,
    sum(withErlang) - sum(bracketed.filter(({ frames }) => frames.some(({ kind }) => kind === "erlang"))),
  );
});

test("lines of a function, in order", () => {
  for (const name of erlangNames) {
    const within = samples.filter(({ frames }) => frames.some((frame) => frame.name === name));
    const owned = within.filter((sample) => owner(sample)?.name === name);
    const lines = new Set(
      within.flatMap(({ frames }) =>
        frames.filter((frame) => frame.name === name && frame.line > 0).map(({ line }) => line),
      ),
    );
    assert.deepEqual(
      capture.functionLines(capture.functionNamed(name)),
      [...lines]
        .sort((a, b) => a - b)
        .map((line) => ({
          line,
          own: 0,
          self: sum(owned.filter((sample) => owner(sample)?.line === line)),
          total: sum(within.filter(({ frames }) => frames.some((frame) => frame.name === name && frame.line === line))),
        })),
      name,
    );
  }
});

test("C functions count as leaves", () => {
  const name = "copy_struct_x";
  assert.deepEqual(capture.functionCounts(capture.functionNamed(name)), {
    own: 0,
    self: sum(samples.filter(({ frames }) => frames[0]?.name === name)),
    total: sum(samples.filter(({ frames }) => frames.some((frame) => frame.name === name))),
  });
});

for (const [name, line] of [
  ["demo_pricing:best_price/2", undefined],
  ["lists:foldl/3", undefined],
  ["demo_reports:'-sales/1-lc$^0/1-0-'/2", undefined],
  ["demo_stock:fetch/1", 49],
] as const) {
  test(`detail of ${name}${line === undefined ? "" : ` line ${line}`}`, () => {
    const here = (frame: NaiveFrame | undefined) => frame?.name === name && (line === undefined || frame.line === line);
    const detail = capture.placeDetail(capture.functionNamed(name), line);
    const owned = samples.filter((sample) => here(owner(sample)));
    assert.equal(detail.self, sum(owned));
    assert.equal(detail.total, sum(samples.filter(({ frames }) => frames.some(here))));
    assert.ok(detail.self > 0);
    const byClass = new Map<string, number>();
    for (const { labels, count } of owned)
      byClass.set(String(labels["class"]), (byClass.get(String(labels["class"])) ?? 0) + count);
    assert.deepEqual(
      Object.fromEntries(detail.classes.map(({ sampleClass, samples: of }) => [sampleClass, of])),
      Object.fromEntries(byClass),
    );
    const neighbours = (neighbour: (sample: NaiveSample) => NaiveFrame | undefined) => {
      const counts = new Map<string, number>();
      for (const sample of samples) {
        const found = neighbour(sample);
        if (found) counts.set(found.name, (counts.get(found.name) ?? 0) + sample.count);
      }
      return Object.fromEntries(counts);
    };
    const shown = (rows: typeof detail.callers) =>
      Object.fromEntries(rows.map(({ functionIndex, samples: of }) => [capture.functions[functionIndex]?.name, of]));
    assert.deepEqual(
      shown(detail.callers),
      neighbours(({ frames }) => (frames.some(here) ? frames[frames.findLastIndex(here) + 1] : undefined)),
    );
    assert.deepEqual(
      shown(detail.callees),
      neighbours(({ frames }) => frames[frames.findIndex(here) - 1]),
    );
    for (const rows of [detail.callers, detail.callees])
      assert.deepEqual(
        rows.map((row) => row.samples),
        rows.map((row) => row.samples).sort((a, b) => b - a),
      );
  });
}

test("shares by class, facets and the strip over time add up to all samples", () => {
  const { samples: all, busy } = capture.totals;
  assert.equal(all, sum(samples));
  assert.equal(busy, sum(samples.filter(({ labels }) => labels["class"] !== "idle")));
  const facets = capture.facets();
  for (const facet of [facets.schedulers, facets.processes, facets.classes, capture.classSplit()])
    assert.equal(
      facet.reduce((total, row) => total + row.samples, 0),
      all,
    );
  assert.deepEqual(
    facets.schedulers.map(({ value }) => value),
    ["1", "2", "dirty-cpu 1", "dirty-cpu 2", ""],
  );
  const timeline = capture.timeline(100);
  assert.ok(timeline.busy.length <= 100 && timeline.busy.length > 50);
  assert.equal(
    timeline.busy.reduce((total, count) => total + count, 0),
    busy,
  );
  assert.equal(
    timeline.idle.reduce((total, count) => total + count, 0),
    all - busy,
  );
  assert.equal(timeline.bucketMs % 20, 0);
  const from = 3 * timeline.bucketMs;
  assert.equal(capture.filteredTotals({ timeMs: { from, to: from + timeline.bucketMs } }).busy, timeline.busy[3]);
});

test("facets filter", () => {
  for (const { value, samples: expected } of capture.facets().processes)
    assert.equal(capture.filteredTotals({ processes: [value] }).samples, expected, value);
  for (const { value, samples: expected } of capture.facets().schedulers)
    assert.equal(capture.filteredTotals({ schedulers: [value] }).samples, expected, value);
  for (const { sampleClass, samples: expected } of capture.classSplit()) {
    assert.ok(sampleClass);
    assert.equal(capture.top({ classes: [sampleClass] }).samples, expected, sampleClass);
  }
});

test("what can be blamed: groups with their samples, then functions", () => {
  const choices = capture.blameChoices();
  assert.deepEqual(
    choices.filter(({ isGroup }) => isGroup).map(({ query }) => query),
    ["copy", "gc", "compare", "ets", "lock", "alloc", "binary", "port"],
  );
  for (const { query, isGroup, samples: expected } of choices.slice(0, 40)) {
    const { matched } = capture.blame(query);
    assert.ok(isGroup || matched >= expected);
    if (isGroup) assert.equal(matched, expected, query);
    assert.equal(capture.isBlameGroup(query), isGroup, query);
  }
  assert.equal(capture.isBlameGroup("scheduler"), false);
});

test("the port of a task stands for the Erlang function that it does not have", () => {
  const file = new ProfileBuilder().type("samples", "count").comment('extrospect/settings {"frequency_hz":99}');
  const names = ["scan", "malloc", "tcp_inet:timeout (driver)"];
  for (const [index, name] of names.entries()) file.function(index + 1, name, `native!${name}`);
  file.function(4, "[port tcp_inet of shop]", "marker![port tcp_inet of shop]");
  for (const id of [1, 2, 3, 4]) file.location(id, [[id, 0]]);
  const sample = (count: number, sampleClass: string, locations: number[]) => {
    const label = (key: string, text: string) => ({ key: file.string(key), text: file.string(text) });
    file.sample({ locations, values: [count], labels: [label("class", sampleClass), label("trust", "no_process")] });
  };
  sample(3, "port", [1, 3, 4]);
  sample(2, "alloc", [2, 3, 4]);
  sample(1, "port", [1, 3]);
  const made = decodeCapture(file.gzip());
  const rows = made.top({}, { onlyErlang: true }).rows.map(({ name, self }) => [name, self]);
  assert.deepEqual(rows, [
    ["[port tcp_inet of shop]", 5],
    ["[port]", 1],
  ]);
  const callers = (query: string) => made.blame(query).callers.map(({ name, samples: count }) => [name, count]);
  assert.deepEqual(callers("port"), rows);
  assert.deepEqual(callers("port:tcp_inet"), rows);
  assert.deepEqual(callers("port:udp_inet"), []);
  assert.deepEqual(callers("alloc"), [["[port tcp_inet of shop]", 2]]);
});

test("C code of a NIF library that a scheduler calls for no process is not the scheduler's own work", () => {
  const file = new ProfileBuilder().type("samples", "count").comment('extrospect/settings {"frequency_hz":99}');
  file.function(1, "dtor", "nif!dtor").location(1, [[1, 0]]);
  for (const [count, sampleClass] of [
    [3, "nif"],
    [2, "gc"],
    [1, "scheduler"],
  ] as const) {
    const label = (key: string, text: string) => ({ key: file.string(key), text: file.string(text) });
    file.sample({
      locations: [1],
      values: [count],
      labels: [label("class", sampleClass), label("trust", "no_process")],
    });
  }
  const rows = decodeCapture(file.gzip())
    .top({}, { onlyErlang: true })
    .rows.map(({ name, self }) => [name, self]);
  assert.deepEqual(rows, [
    ["[NIF in no process]", 3],
    ["[system task]", 2],
    ["[scheduler]", 1],
  ]);
});

test("the owner of work for no process stands for the Erlang function that it does not have", () => {
  const file = new ProfileBuilder().type("samples", "count").comment('extrospect/settings {"frequency_hz":99}');
  file.function(1, "dtor", "nif!dtor").location(1, [[1, 0]]);
  const markers = ["[destructor of img:png]", "[destructor of img:gif]", "[persistent_term or purged code]"];
  for (const [index, marker] of markers.entries()) {
    file.function(index + 2, marker, `marker!${marker}`).location(index + 2, [[index + 2, 0]]);
  }
  for (const [count, locations] of [
    [4, [1, 4]],
    [3, [1, 2]],
    [2, [1, 3]],
    [1, [1]],
  ] as const) {
    const label = (key: string, text: string) => ({ key: file.string(key), text: file.string(text) });
    file.sample({
      locations: [...locations],
      values: [count],
      labels: [label("class", "nif"), label("trust", "no_process")],
    });
  }
  const made = decodeCapture(file.gzip());
  const expected = [
    ["[persistent_term or purged code]", 4],
    ["[destructor of img:png]", 3],
    ["[destructor of img:gif]", 2],
    ["[NIF in no process]", 1],
  ];
  const rows = made.top({}, { onlyErlang: true }).rows.map(({ name, self }) => [name, self]);
  assert.deepEqual(rows, expected);
  const callers = made.blame("dtor").callers.map(({ name, samples: count }) => [name, count]);
  assert.deepEqual(callers, expected);
});

test("the facts of the capture", () => {
  const { facts } = capture;
  assert.equal(facts.isOwn, true);
  assert.equal(facts.unit, "samples");
  assert.equal(facts.frequencyHz, 997);
  assert.ok(facts.durationMs > 14_000 && facts.durationMs < 17_000);
  assert.ok(facts.startedUnixMs > Date.UTC(2025, 0) && facts.startedUnixMs < Date.UTC(2040, 0));
  assert.match(facts.target?.otpRelease ?? "", /^\d+$/);
  assert.equal(facts.quality?.samples, capture.totals.samples);
  assert.equal(facts.isCut, undefined);
});

test("the time before sampling that earlier versions wrote as samples is none", () => {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .type("cpu", "nanoseconds")
    .periodType("cpu", "nanoseconds", 1_000_000)
    .comment('extrospect/target {"pid":7,"otp_release":"25"}')
    .comment('extrospect/settings {"frequency_hz":1000}')
    .function(1, "[before sampling]", "marker![before sampling]")
    .function(2, "m:f/1", "erlang!m:f/1", "m.erl", 3);
  profile.location(1, [[1, 0]]).location(2, [[2, 4]]);
  profile.sample({ locations: [1], values: [404, 404_000_000] }).sample({ locations: [2], values: [2, 2_000_000] });
  const { totals, functions } = decodeCapture(profile.gzip());
  assert.equal(totals.samples, 2);
  assert.ok(functions.length > 0);
});
