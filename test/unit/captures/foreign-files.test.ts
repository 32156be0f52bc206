// Opening the files of other tools: omissions are reported, and unreadable files are refused in fitting words.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { CaptureError, decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { NotTogether } from "../../../extension/src/capture/joined-capture.js";
import { SeveralEvents, UnreadForeignProfile } from "../../../extension/src/captures/foreign-errors.js";
import { captureTooltip, summaryOf } from "../../../extension/src/captures/capture-summary.js";
import { importRemark } from "../../../extension/src/captures/import-remark.js";
import { asPprof } from "../../../extension/src/captures/open-bytes.js";
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
  const error: unknown = await asPprof(bytes, undefined, MODULE).then(
    () => assert.fail("it was converted"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof UnreadForeignProfile, String(error));
  return unreadableWords(error, ENGLISH);
}

test("what the reader left out or assumed is said of the open capture", async () => {
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

test("a damaged file of another tool is refused in its reader's words", async () => {
  const { why, fix } = await refusal(speedscope(evented("t1", "none", [{ type: "O", frame: 9, at: 0 }])));
  assert.equal(why, "it looks like speedscope and is damaged: there is no frame 9");
  assert.match(fix, /export it again, with the tool that made it/);
  assert.doesNotMatch(fix, /pprof|record it again/);
});

test("a file of no format names those that are read", async () => {
  const { why, fix } = await refusal(Buffer.from("This is no profile at all."));
  assert.match(why, /^it is none of the formats that are read: pprof, perf script, folded stacks, speedscope/);
  assert.match(fix, /in a supported format/);
});

test("a text that begins with an empty line is no pprof profile", async () => {
  assert.equal(
    (await refusal(Buffer.from('\n{"nodes":[{"id":1,"callFrame":{"functionName":"a"'))).why,
    "it looks like cpuprofile and is damaged: EOF while parsing an object at line 2 column 49",
  );
  assert.match((await refusal(gzipSync("\n\n{"))).why, /^it is JSON that is damaged/);
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

test("a recording of perf is named, with the commands that make something readable of it", async () => {
  for (const magic of ["PERFILE2", "2ELIFREP", "PERFFILE"]) {
    const { why, fix } = await refusal(Buffer.from(`${magic}\0\0\0\0`));
    assert.match(why, /recording of perf/);
    assert.match(fix, /`extrospect import FILE -o OUT\.pb\.gz`.*`perf script -i FILE > FILE\.txt`/);
  }
});

test("compressed files of other tools are read, and damaged ones are refused in their reader's words", async () => {
  const whole = decodeCapture(await asPprof(gzipSync("main;work 3\nmain;idle 2\n"), undefined, MODULE));
  assert.equal(whole.facts.imported?.format, "folded stacks");
  const damaged = gzipSync(speedscope(evented("t1", "none", [{ type: "O", frame: 9, at: 0 }])));
  assert.equal((await refusal(damaged)).why, "it looks like speedscope and is damaged: there is no frame 9");
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
