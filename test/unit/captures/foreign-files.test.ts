// Opening the files of other tools: omissions are reported, and unreadable files are refused in fitting words.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Defect, UnreadReason } from "../../../contract/editor-module.generated.js";
import { CaptureError, decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { NotTogether } from "../../../extension/src/capture/joined-capture.js";
import { SeveralEvents, UnreadForeignProfile } from "../../../extension/src/captures/foreign-errors.js";
import { captureTooltip, summaryOf } from "../../../extension/src/captures/capture-summary.js";
import { importRemark } from "../../../extension/src/captures/import-remark.js";
import { asPprof, type ChooseEvent } from "../../../extension/src/captures/open-bytes.js";
import { unreadableWords } from "../../../extension/src/captures/unreadable-words.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";
import { HELPER } from "../recording/piped-helper.js";

const MODULE = {
  module: resolve("dist/editor-module/editor-module.wasm"),
  thread: resolve("dist/extension/editor-module-thread.cjs"),
};
const FRAMES = [{ name: "outer" }, { name: "inner" }];
const OPEN_CALLS = [
  { type: "O", frame: 0, at: 0 },
  { type: "O", frame: 1, at: 1 },
];
const evented = (name: string, unit: string, events: readonly object[]) => ({
  type: "evented",
  name,
  unit,
  startValue: 0,
  endValue: 5,
  events,
});

function speedscope(...profiles: readonly object[]): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      $schema: "https://www.speedscope.app/file-format-schema.json",
      shared: { frames: FRAMES },
      profiles,
    }),
  );
}

/** Why the editor does not open a file, and the remedy that it shows. */
async function refusal(bytes: Uint8Array): Promise<{ readonly why: string; readonly fix: string }> {
  return unreadableWords(await unread(bytes), ENGLISH);
}

async function unread(bytes: Uint8Array, chooseEvent?: ChooseEvent): Promise<UnreadForeignProfile> {
  const error: unknown = await asPprof(bytes, chooseEvent, MODULE).then(
    () => assert.fail("it was converted"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof UnreadForeignProfile, String(error));
  return error;
}

test("omissions and assumptions of the reader are shown with the open capture", async () => {
  const bytes = speedscope(evented("t1", "milliseconds", OPEN_CALLS), evented("t2", "bytes", OPEN_CALLS));
  const capture = decodeCapture(await asPprof(bytes, undefined, MODULE));
  const remark = importRemark(capture.facts.imported, ENGLISH, "en");
  assert.match(remark, /^Read as speedscope: /);
  assert.match(remark, /left out, measuring something else than the first one: 1 profile/);
  assert.match(remark, /without a return in "t1", and counted until its end: 2 calls/);
  assert.match(
    captureTooltip(summaryOf(capture), "t.json", ENGLISH, "en"),
    /Read as speedscope.*measuring something else/,
  );
});

test("a file of which nothing was left out has no remark, and of many notes the rest are counted", async () => {
  const whole = decodeCapture(await asPprof(Buffer.from("main;work 3\nmain;idle 2\n"), undefined, MODULE));
  assert.deepEqual(whole.facts.imported, { format: "folded stacks", notes: [] });
  assert.equal(importRemark(whole.facts.imported, ENGLISH), "");
  assert.equal(importRemark(undefined, ENGLISH), "");
  const many = importRemark(
    { format: "x", notes: Array.from({ length: 8 }, (_, index) => `note\u202e ${index}`) },
    ENGLISH,
    "en",
  );
  assert.match(many, /note {2}4; and 3 more$/);
});

test("a damaged file of another tool is refused with the place of the defect", async () => {
  const { why, fix } = await refusal(speedscope(evented("t1", "none", [{ type: "O", frame: 9, at: 0 }])));
  assert.equal(why, "it looks like speedscope, but cannot be read: its parts do not fit together (frames[9])");
  assert.match(fix, /export it again, with the tool that made it/);
  assert.doesNotMatch(fix, /pprof|record it again/);
});

test("a file of no format names those that are read", async () => {
  const { why, fix } = await refusal(Buffer.from("This is no profile at all."));
  assert.match(why, /^it has none of the supported formats: pprof, perf script, folded stacks, speedscope/);
  assert.match(fix, /in a supported format/);
});

test("a text that begins with an empty line is no pprof profile", async () => {
  assert.equal(
    (await refusal(Buffer.from('\n{"nodes":[{"id":1,"callFrame":{"functionName":"a"'))).why,
    "it looks like cpuprofile, but cannot be read: its end is missing",
  );
  assert.match((await refusal(gzipSync("\n\n{"))).why, /^it is JSON, but cannot be read: its end is missing$/);
  const whole = decodeCapture(await asPprof(Buffer.from("\n\nmain;work 3\n"), undefined, MODULE));
  assert.equal(whole.facts.imported?.format, "folded stacks");
});

test("a file of OpenTelemetry's profiles is read, which begins with the byte of a pprof profile", async () => {
  const otlp = execFileSync(HELPER, ["export", "test/unit/capture/fixtures/demo.pb.gz", "--format", "otlp"], {
    maxBuffer: 1 << 26,
  });
  assert.equal(otlp[0], 0x0a);
  const whole = decodeCapture(await asPprof(otlp, undefined, MODULE));
  assert.equal(whole.facts.imported?.format, "OTLP profiles");
});

const perfSample = (event: string) => `w 1/2 [000] 1.0:  250 ${event}:\n\t7f01 f+0x1 (/x)\n\n`;

test("a file of each kind of defect is refused with that kind", async () => {
  const sampled = (unit: string, samples: readonly (readonly number[])[], weights: readonly number[]) =>
    speedscope({ type: "sampled", name: "t", unit, startValue: 0, endValue: 1, samples, weights });
  const damaged = (format: string | null, defect: Defect): UnreadReason => ({ kind: "damaged", format, defect });
  const ofSpeedscope = (defect: Defect) => damaged("speedscope", defect);
  const recorded = JSON.stringify({ meta: {}, threads: [{ samples: { schema: {} } }] });
  const files: readonly (readonly [Uint8Array, UnreadReason])[] = [
    [Buffer.from(" \n"), { kind: "empty" }],
    [Buffer.from("hello, world\n"), { kind: "unknown_format" }],
    [Buffer.from("a;b;\x1b[31mc\x1b[0m 3\n"), { kind: "control_characters" }],
    [gzipSync("PERFILE2\0\0\0\0"), { kind: "perf_data" }],
    [sampled("none", [[0]], [1]).subarray(0, 150), ofSpeedscope({ kind: "cut" })],
    [Buffer.from("{\n,}"), damaged(null, { kind: "json", line: 2, column: 1 })],
    [Buffer.from("m:r/0;m:a/0 NaN\n"), damaged("folded stacks", { kind: "lines", count: 1, first: 1 })],
    [
      Buffer.from(`${perfSample("cycles")}${"nothing here\n".repeat(3)}`),
      damaged("perf script", { kind: "lines", count: 3, first: 4 }),
    ],
    [sampled("pints", [[0]], [1]), ofSpeedscope({ kind: "unknown_word", word: "pints" })],
    [sampled("none", [[9]], [1]), ofSpeedscope({ kind: "inconsistent", part: "frames[9]" })],
    [speedscope(), ofSpeedscope({ kind: "no_samples" })],
    [sampled("none", [[0]], [-1]), ofSpeedscope({ kind: "below_zero" })],
    [Buffer.from(recorded), damaged("Firefox Profiler", { kind: "unprocessed" })],
  ];
  for (const [bytes, reason] of files) assert.deepEqual((await unread(bytes)).reason, reason);
  const several = Buffer.from(perfSample("cycles") + perfSample("page-faults"));
  const { reason } = await unread(several, () => Promise.resolve("clock"));
  assert.deepEqual(reason, { kind: "no_such_event", event: "clock" });
});

test("a recording of perf is named, with the commands that make something readable of it", async () => {
  for (const magic of ["PERFILE2", "2ELIFREP", "PERFFILE"]) {
    const { why, fix } = await refusal(Buffer.from(`${magic}\0\0\0\0`));
    assert.match(why, /recording of perf/);
    assert.match(fix, /`extrospect import FILE -o OUT\.pb\.gz`.*`perf script -i FILE > FILE\.txt`/);
  }
});

test("compressed files of other tools are read, and damaged ones are refused as others are", async () => {
  const whole = decodeCapture(await asPprof(gzipSync("main;work 3\nmain;idle 2\n"), undefined, MODULE));
  assert.equal(whole.facts.imported?.format, "folded stacks");
  const damaged = gzipSync(speedscope(evented("t1", "none", [{ type: "O", frame: 9, at: 0 }])));
  assert.match((await refusal(damaged)).why, /frames\[9\]/);
  const message = await asPprof(Buffer.from("main;work 3\n"), undefined, MODULE);
  const compressed = message[0] === 0x0a ? gzipSync(message) : message;
  assert.equal(await asPprof(compressed, undefined, MODULE), compressed);
});

test("what may be a capture of ours is left to its own reader, whose reasons are words for the user", async () => {
  for (const bytes of [Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.from([0x0a, 1, 2])])
    assert.equal(await asPprof(bytes, undefined, MODULE), bytes);
  const noProfile = new CaptureError("notAProfile", "it has no string table");
  const { why, fix } = unreadableWords(noProfile, ENGLISH);
  assert.equal(why, "it is not a pprof profile");
  assert.match(fix, /must be a gzip-compressed pprof profile/);
  assert.equal(unreadableWords(noProfile, GERMAN).why, "es ist kein Profil im Format pprof");
  assert.equal(
    unreadableWords(new CaptureError("badReference", "there is no function 17"), ENGLISH).why,
    "its content is damaged (there is no function 17)",
  );
  const otherRate = new NotTogether((l10n) => l10n.t("it was sampled at {0} Hz and the others at {1} Hz", 199, 99));
  assert.equal(unreadableWords(otherRate, GERMAN).why, "sie wurde mit 199 Hz aufgenommen und die anderen mit 99 Hz");
  assert.match(
    unreadableWords(new SeveralEvents([{ name: "cycles", samples: 2 }]), ENGLISH).why,
    /none was chosen: cycles/,
  );
});
