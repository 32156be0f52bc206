import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import type { Timeline } from "../../../contract/capture-answers.js";
import { ProfileBuilder } from "./profile-builder.js";

const ours = () => new ProfileBuilder().type("samples", "count").comment('extrospect/target {"node":"a"}');
/** Fields of a reading that the tests speak of. */
const [PROCESSES, MEMORY, MAILBOX, COLLECTIONS] = [5, 6, 8, 10] as const;

const timeline = (buckets: number, bucketMs: number) => ({
  bucketMs,
  durationMs: buckets * bucketMs,
  busy: new Uint32Array(buckets),
  idle: new Uint32Array(buckets),
});

test("levels are the most in each bucket, rates what was counted between readings", () => {
  const capture = newCapture();
  capture.append(ours().gzip());
  assert.deepEqual(capture.tracks(timeline(3, 1000)), []);
  capture.append(
    new ProfileBuilder()
      .reading(0, 1, { [MAILBOX]: 7, [COLLECTIONS]: 100 })
      .reading(500, 9, { [MAILBOX]: 3, [COLLECTIONS]: 150 })
      .gzip(),
  );
  capture.append(new ProfileBuilder().reading(3000, 2, { [COLLECTIONS]: 400, [MEMORY]: 2 ** 40 }).gzip());
  const tracks = new Map(capture.tracks(timeline(5, 1000)).map(({ name, values }) => [name, [...values]]));
  assert.deepEqual([...tracks.keys()], ["runQueue", "memory", "largestMailbox", "collectionRate"]);
  assert.deepEqual(tracks.get("runQueue"), [9, 9, 9, 2, Number.NaN]);
  assert.deepEqual(tracks.get("largestMailbox"), [7, Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  assert.deepEqual(tracks.get("memory"), [Number.NaN, Number.NaN, Number.NaN, 2 ** 40, Number.NaN]);
  // 50 in half a second, then 250 in two and a half.
  assert.deepEqual(tracks.get("collectionRate"), [100, 100, 100, Number.NaN, Number.NaN]);
});

test("a reading without a run queue counts where it has processes, and no reading goes back in time", () => {
  const capture = decodeCapture(
    ours()
      .reading(1000, 4)
      .reading(500, 99)
      .reading(2000, undefined, { [PROCESSES]: 12 })
      .reading(2500, undefined, { [MAILBOX]: 8 })
      .gzip(),
  );
  assert.deepEqual(capture.facts.readings?.atMs, [1000, 2000]);
  assert.deepEqual(capture.facts.readings?.processes, [Number.NaN, 12]);
  assert.deepEqual(capture.facts.readings?.largestMailbox, [Number.NaN, Number.NaN]);
});

test("a VM that counts backwards has no rate there, and readings behind the end none at all", () => {
  const capture = decodeCapture(
    ours()
      .reading(0, 0, { [COLLECTIONS]: 9 })
      .reading(1000, 0, { [COLLECTIONS]: 3 })
      .reading(9e9, 5, { [COLLECTIONS]: 4 })
      .gzip(),
  );
  const tracks = new Map(capture.tracks(timeline(2, 1000)).map(({ name, values }) => [name, [...values]]));
  assert.deepEqual(tracks.get("runQueue"), [0, 0]);
  assert.ok((tracks.get("collectionRate") ?? []).every((rate) => Number.isNaN(rate) || rate < 1e-3));
});

/** One of several captures, with its start by a clock that is ahead. */
const begun = (startedUnixMs: number, aheadMs: number) =>
  ours()
    .comment(`extrospect/settings {"frequency_hz":99,"started_unix_ns":${startedUnixMs}000000}`)
    .comment(`extrospect/clock {"ahead_ms":${aheadMs},"ahead_at_end_ms":${aheadMs}}`);

/** Values by node and name. */
const tracksOf = (capture: Capture, of: Timeline) =>
  new Map(capture.tracks(of).map(({ node, name, values }) => [`${node} ${name}`, [...values]]));

test("each VM of several has its own tracks, at the times of the clock here, and nothing is added up", () => {
  const joined = joinedCapture();
  assert.deepEqual(joined.tracks(timeline(2, 1000)), []);
  const early = begun(1_000_000, 0)
    .reading(0, 4, { [COLLECTIONS]: 100 })
    .reading(1000, 6, { [COLLECTIONS]: 140 });
  // It began two seconds later, and its clock shows 62.
  const late = begun(1_062_000, 60_000)
    .reading(0, 40, { [MEMORY]: 5e9, [COLLECTIONS]: 7 })
    .reading(1000, 60, { [COLLECTIONS]: 9 });
  joined.addNode("a@h", decodeCapture(early.gzip()));
  joined.addNode("b@h", decodeCapture(late.gzip()));
  joined.addNode("silent@h", decodeCapture(begun(1_000_000, 0).gzip()));
  joined.catchUp();
  const tracks = tracksOf(joined, timeline(4, 1000));
  const none = Number.NaN;
  assert.deepEqual(
    [...tracks],
    [
      ["a@h runQueue", [4, 6, none, none]],
      ["a@h collectionRate", [40, none, none, none]],
      ["b@h runQueue", [none, none, 40, 60]],
      ["b@h memory", [none, none, 5e9, none]],
      ["b@h collectionRate", [none, none, 2, none]],
    ],
  );
});

test("a VM that began earlier and comes later moves the tracks of those before, as it moves their samples", () => {
  const joined = joinedCapture();
  joined.addNode("late", decodeCapture(begun(1_003_000, 0).reading(0, 8).gzip()));
  joined.catchUp();
  assert.deepEqual(tracksOf(joined, timeline(5, 1000)).get("late runQueue"), [
    8,
    Number.NaN,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
  joined.addNode("early", decodeCapture(begun(1_000_000, 0).reading(1000, 5).gzip()));
  joined.catchUp();
  const tracks = tracksOf(joined, timeline(5, 1000));
  assert.deepEqual(tracks.get("late runQueue"), [Number.NaN, Number.NaN, Number.NaN, 8, Number.NaN]);
  assert.deepEqual(tracks.get("early runQueue"), [Number.NaN, 5, Number.NaN, Number.NaN, Number.NaN]);
});

test("readings of one VM do not fill a time without readings of another", () => {
  const joined = joinedCapture();
  const [quiet, busy] = [begun(1_000_000, 0), begun(1_000_000, 0)];
  for (const at of [0, 1000, 2000, 14_000, 15_000]) quiet.reading(at, 4);
  for (const at of [0, 1000, 2000, 14_000, 15_000]) busy.reading(at, 7);
  busy
    .mapping(1, "[erlang]")
    .function(1, "m:f/1", "erlang!m:f/1", "m.erl", 3)
    .location(1, [[1, 4]], { mapping: 1 });
  for (let at = 2000; at < 14_000; at += 1000)
    busy.sample({ locations: [1], values: [3], labels: [{ key: busy.string("bucket_ms"), number: at }] });
  joined.addNode("quiet", decodeCapture(quiet.gzip()));
  joined.addNode("busy", decodeCapture(busy.gzip()));
  joined.catchUp();
  const shown = joined.timeline(16);
  const tracks = tracksOf(joined, {
    ...shown,
    bucketMs: 1000,
    durationMs: 16_000,
    busy: new Uint32Array(16).fill(9),
    idle: new Uint32Array(16),
  });
  assert.deepEqual(tracks.get("quiet runQueue")?.slice(2, 6), [4, Number.NaN, Number.NaN, Number.NaN]);
  assert.deepEqual(tracks.get("busy runQueue")?.slice(2, 6), [7, 7, 7, 7]);
});

test("a time without readings and samples is a gap, in which no track is known", () => {
  const captured = ours();
  for (const at of [0, 1000, 2000, 3000, 14_000, 15_000, 16_000]) captured.reading(at, 4, { [PROCESSES]: 12 });
  const capture = decodeCapture(captured.gzip());
  const quiet = timeline(17, 1000);
  assert.deepEqual(capture.timeGaps(quiet), [{ fromMs: 3000, toMs: 14_000 }]);
  const runQueue = capture.tracks(quiet).find(({ name }) => name === "runQueue");
  assert.deepEqual([...(runQueue?.values ?? [])].slice(2, 5), [4, 4, Number.NaN]);
  assert.equal(runQueue?.values[14], 4);
  // Samples that the kernel kept during a gap are of a time that was observed.
  const kept = timeline(17, 1000);
  kept.busy.fill(9, 3, 7);
  assert.deepEqual(capture.timeGaps(kept), [{ fromMs: 7000, toMs: 14_000 }]);
  kept.idle.fill(1, 3, 14);
  assert.deepEqual(capture.timeGaps(kept), []);
  assert.deepEqual(decodeCapture(ours().gzip()).timeGaps(quiet), [], "without readings nothing is known of gaps");
  assert.deepEqual(decodeCapture(ours().reading(0, 1).gzip()).timeGaps(quiet), []);
});

test("readings may be late by two seconds beside a usual step, and a gap is at least a second", () => {
  const gapsAfter = (lateAt: number, busy: readonly number[] = []) => {
    const captured = ours();
    for (const at of [0, 1000, 2000, 3000, lateAt, lateAt + 1000, lateAt + 2000]) captured.reading(at, 4);
    const quiet = timeline(20, 500);
    for (const bucket of busy) quiet.busy[bucket] = 1;
    return decodeCapture(captured.gzip()).timeGaps(quiet);
  };
  assert.deepEqual(gapsAfter(7000), []);
  assert.deepEqual(gapsAfter(7001), [{ fromMs: 3000, toMs: 7001 }]);
  // Samples from 4.0 s on, and none in the last half second, or second, before the reading.
  assert.deepEqual(gapsAfter(7500, [8, 9, 10, 11, 12, 13]), [{ fromMs: 3000, toMs: 4000 }]);
  assert.deepEqual(gapsAfter(7500, [7, 8, 9, 10, 11, 12]), [{ fromMs: 6500, toMs: 7500 }]);
});
