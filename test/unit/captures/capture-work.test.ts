// A capture's facts about the work that was counted during it: read from its comment, in words, and requested by
// settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { RecordedWork } from "../../../extension/src/capture/questions.js";
import { unitsDone } from "../../../extension/src/capture/work-done.js";
import {
  captureFactRows,
  captureProblems,
  captureTooltip,
  summaryOf,
} from "../../../extension/src/captures/capture-summary.js";
import { workProblems, workText } from "../../../extension/src/captures/capture-work.js";
import { workCounter } from "../../../extension/src/recording/work-counter.js";
import { settingValue } from "../../../extension/src/setting-values.js";
import { SETTINGS } from "../../../extension/src/contributions.js";
import { ProfileBuilder } from "../capture/profile-builder.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const WORK: RecordedWork = {
  name: "orders",
  atStart: 100,
  startUnixMs: 1_700_000_000_000,
  atEnd: 12_400,
  endUnixMs: 1_700_000_010_000,
  problem: "",
};
const WORKED = { work: WORK, durationMs: 10_000, busy: 4990, frequencyHz: 499 };

const commentOf = (members: object) => `extrospect/work ${JSON.stringify(members)}`;
const RECORDED = {
  name: "orders",
  at_start: 100,
  start_unix_ms: 1_700_000_000_000,
  at_end: 12_400,
  end_unix_ms: 1_700_000_010_000,
  problem: "",
};

function opened(...comments: string[]): ReturnType<typeof decodeCapture> {
  const builder = new ProfileBuilder().type("samples", "count");
  for (const comment of comments) builder.comment(comment);
  return decodeCapture(builder.gzip());
}

test("the last readings are read, and what makes no sense counts nothing", () => {
  const { facts } = opened(
    commentOf({ ...RECORDED, at_end: null, end_unix_ms: 0 }),
    commentOf(RECORDED),
    "extrospect/work [",
  );
  assert.deepEqual(facts.work, WORK);
  assert.ok(!("work" in opened().facts));
  const odd = opened(commentOf({ name: "x".repeat(5000), at_start: "7", at_end: {}, start_unix_ms: -1, problem: 3 }))
    .facts.work;
  assert.deepEqual(
    { ...odd, name: odd?.name.length },
    { name: 256, atStart: 0, startUnixMs: 0, atEnd: null, endUnixMs: 0, problem: "" },
  );
});

test("units are those of the time that was sampled", () => {
  assert.equal(unitsDone(WORK, 10_000), 12_300);
  assert.equal(unitsDone({ ...WORK, endUnixMs: WORK.startUnixMs + 20_000 }, 10_000), 6150);
  assert.equal(unitsDone({ ...WORK, endUnixMs: 0 }, 10_000), 12_300);
  assert.equal(unitsDone({ ...WORK, atEnd: 99 }, 10_000), "backwards");
  assert.equal(unitsDone({ ...WORK, atEnd: 100 }, 10_000), "still");
  assert.equal(unitsDone({ ...WORK, atEnd: null }, 10_000), "cut");
  assert.equal(unitsDone({ ...WORK, atEnd: null, problem: "it answers 500" }, 10_000), "notRead");
  assert.equal(unitsDone({ ...WORK, atStart: -Number.MAX_VALUE, atEnd: Number.MAX_VALUE }, 0), "still");
});

test("tooltip and figures have the amount of work and the cost of each unit", () => {
  assert.equal(workText(WORKED, ENGLISH, "en"), "12,300 orders, 1,230 per second, 813.0 µs of CPU each");
  assert.equal(workText(WORKED, GERMAN, "de"), "12.300 orders, 1.230 pro Sekunde, je 813,0 µs CPU-Zeit");
  // A file that was only scanned: how much of it is idle is not known.
  assert.equal(workText({ ...WORKED, busy: 0 }, ENGLISH, "en"), "12,300 orders, 1,230 per second");
  assert.equal(workText({ ...WORKED, work: null }, ENGLISH, "en"), "");
  const summary = summaryOf(opened(commentOf({ ...RECORDED, name: "<b>[a](b)" })));
  assert.ok(
    captureFactRows(summary, ENGLISH, "en").some(({ name, value }) => name === "Work" && value === "12,300 <b>[a](b)"),
  );
  assert.doesNotMatch(captureTooltip(summary, "a.pb.gz", ENGLISH, "en"), /<b>|\[a\]\(b\)/);
});

test("why work is not known is among what is wrong with a capture", () => {
  const problems = (work: Partial<RecordedWork>) => workProblems({ ...WORKED, work: { ...WORK, ...work } }, ENGLISH);
  assert.deepEqual(problems({}), []);
  assert.match(String(problems({ atEnd: null })), /The work \(orders\) was not counted at the end/);
  assert.match(
    String(problems({ atEnd: null, problem: "it answers 500" })),
    /orders could not be counted at the end: it answers 500/,
  );
  assert.match(String(problems({ atEnd: 1 })), /counter of orders went backwards/);
  assert.match(
    String(workProblems({ ...WORKED, work: { ...WORK, atEnd: 100 } }, GERMAN)),
    /Zähler von orders stand still/,
  );
  assert.match(
    String(captureProblems(summaryOf(opened(commentOf({ ...RECORDED, at_end: 5 }))), ENGLISH)),
    /went backwards/,
  );
});

test("settings select the counters, and nonsensical ones count nothing", () => {
  const counter = (command: unknown, metric: unknown, name: unknown) =>
    workCounter({
      command: settingValue(SETTINGS.workCommand, command),
      metric: settingValue(SETTINGS.workMetric, metric),
      name: settingValue(SETTINGS.workName, name),
    });
  assert.equal(counter(undefined, undefined, undefined), undefined);
  assert.deepEqual(counter(["count", ""], {}, " orders "), {
    name: "orders",
    source: { type: "command", command: ["count", ""] },
  });
  const metric = { metric: "a_total", url: "http://h/metrics" };
  assert.deepEqual(counter([], metric, ""), { source: { type: "metric", ...metric } });
  assert.equal(counter(["count"], metric, "")?.source.type, "command");
  for (const odd of ["count", [""], [1], { 0: "count" }]) assert.equal(counter(odd, {}, ""), undefined);
  for (const odd of [[], "http://h", { metric: 1, url: "http://h" }, { metric: "a" }, { url: "http://h" }])
    assert.equal(counter([], odd, 7), undefined);
});
