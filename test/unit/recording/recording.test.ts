import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { CaptureIncrementParams } from "../../../contract/protocol.generated.js";
import { Cancelled, HelperError } from "../../../extension/src/helper/helper-error.js";
import { Recording } from "../../../extension/src/recording/recording.js";
import { missingPartText } from "../../../extension/src/recording/status-text.js";
import { until } from "../../until.mjs";
import { GERMAN } from "../german.js";
import { ENGLISH, FakeHelper, qualityOf, settled, Stage } from "./fakes.js";

const OPTIONS = {
  pid: 4242,
  frequencyHz: 99,
  durationSeconds: 0,
  includeKernel: true,
  engine: "auto" as const,
  fileFor: () => Promise.resolve("/captures/x.pb.gz"),
};

// A profile without a sample, then members that add nothing: their contents are the model's business.
const EMPTY_PROFILE = new Uint8Array([
  0x0a,
  0x04,
  0x08,
  0x01,
  0x10,
  0x02,
  0x32,
  0x00,
  0x32,
  0x07,
  ...Buffer.from("samples"),
  0x32,
  0x05,
  ...Buffer.from("count"),
]);
const FIRST = gzipSync(EMPTY_PROFILE);

function increment(sequence: number, bytes: Uint8Array, fileBytes: number, samples = 5): CaptureIncrementParams {
  return {
    captureId: 3,
    sequence,
    gzipBase64: Buffer.from(bytes).toString("base64"),
    fileBytes,
    quality: qualityOf(samples),
  };
}

function begin() {
  const [helper, stage] = [new FakeHelper(), new Stage()];
  return { helper, stage, recording: new Recording(OPTIONS, stage.environment(helper), stage) };
}

test("attaching, recording, stopping, ended", async () => {
  const { helper, stage, recording } = begin();
  assert.equal(recording.phase, "attaching");
  await recording.start();
  assert.equal(recording.phase, "recording");
  assert.equal(recording.file, "/captures/x.pb.gz");
  assert.equal(recording.target?.node, "shop@localhost");
  await stage.pass(12_000);
  assert.equal(recording.elapsedMs, 12_000);
  await recording.stop();
  assert.equal(recording.phase, "stopping");
  helper.listener?.ended({ captureId: 3, reason: "stopped", problem: null, file: "", quality: qualityOf(42) });
  await settled();
  assert.equal(recording.phase, "ended");
  assert.deepEqual(stage.ends, [{ reason: "stopped", problem: null }]);
  assert.equal(recording.quality?.samples, 42);
  await stage.pass(60_000);
  assert.equal(recording.elapsedMs, 12_000);
  assert.deepEqual(helper.methods(), [
    "extrospect/attach",
    "extrospect/capture/start",
    "extrospect/capture/stop",
    "extrospect/detach",
  ]);
  assert.equal(stage.ends.length, 1, "the answer to stop is no second end");
});

test("the answer to stop ends it when no notification follows", async () => {
  const { stage, recording } = begin();
  await recording.start();
  await recording.stop();
  await recording.stop();
  assert.equal(recording.phase, "stopping");
  await stage.pass(20_000);
  assert.equal(recording.phase, "ended");
  assert.equal(stage.ends[0]?.reason, "stopped");
});

test("a refused attach throws and leaves nothing behind", async () => {
  const { helper, stage, recording } = begin();
  helper.answers["extrospect/capture/start"] = () =>
    Promise.reject(new HelperError("refused", "No", "because", "do this"));
  await assert.rejects(recording.start(), /No: because/);
  assert.equal(recording.phase, "ended");
  assert.equal(helper.listener, undefined);
  assert.equal(helper.methods().at(-1), "extrospect/detach");
  assert.deepEqual(stage.ends, []);
});

test("nothing is left of a capture that started while it was cancelled, here or there", async () => {
  for (const isFar of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), "extrospect-cancelled-"));
    const file = join(folder, "x.pb.gz");
    const [helper, stage] = [new FakeHelper(), new Stage()];
    const recording = new Recording(
      { ...OPTIONS, fileFor: () => Promise.resolve(file) },
      { ...stage.environment(helper), isFar },
      stage,
    );
    const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) };
    helper.answers["extrospect/capture/start"] = () => {
      token.isCancellationRequested = true;
      if (!isFar) writeFileSync(file, FIRST);
      return { captureId: 3, file, engine: { name: "bpf" as const, reason: "asked for" } };
    };
    await assert.rejects(recording.start(token), Cancelled);
    assert.equal(recording.phase, "ended");
    const ending = ["extrospect/capture/stop", ...(isFar ? ["extrospect/capture/remove"] : []), "extrospect/detach"];
    assert.deepEqual(helper.methods().slice(-ending.length), ending);
    assert.deepEqual(readdirSync(folder), []);
    assert.deepEqual(stage.ends, []);
    rmSync(folder, { recursive: true });
  }
});

test("a capture on another host whose file does not arrive whole has the reason, in the user's language", async () => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-not-whole-"));
  const file = join(folder, "x.pb.gz");
  const [helper, stage] = [new FakeHelper(), new Stage()];
  const recording = new Recording(
    { ...OPTIONS, fileFor: () => Promise.resolve(file) },
    { ...stage.environment(helper), isFar: true },
    stage,
  );
  helper.answers["extrospect/capture/read"] = () => ({ base64: "", fileBytes: 10 });
  await recording.start();
  assert.equal(missingPartText(recording.fileProblem, ENGLISH), "");
  helper.listener?.ended({ captureId: 3, reason: "stopped", problem: null, file, quality: qualityOf(10) });
  await until("its end was reported", () => Promise.resolve(stage.ends.length > 0));
  assert.equal(
    missingPartText(recording.fileProblem, ENGLISH),
    "Its file here is not complete: the host does not send the capture that it listed.",
  );
  assert.equal(
    missingPartText(recording.fileProblem, GERMAN),
    "Die Datei hier ist nicht vollständig: der Rechner sendet nicht die Aufnahme, die er aufgeführt hat.",
  );
  assert.equal(helper.methods().includes("extrospect/capture/remove"), false);
  rmSync(folder, { recursive: true });
});

test("what comes before the answer to capture/start is not lost", async () => {
  const { helper, stage, recording } = begin();
  helper.answers["extrospect/capture/start"] = () => {
    helper.listener?.increment(increment(0, FIRST, FIRST.length));
    return { captureId: 3, file: "/captures/x.pb.gz", engine: { name: "bpf" as const, reason: "asked for" } };
  };
  await recording.start();
  await stage.pass(0);
  assert.equal(stage.costs.length, 1);
  assert.equal(recording.quality?.samples, 5);
});

test("other captures are none of its business", async () => {
  const { helper, stage, recording } = begin();
  await recording.start();
  helper.listener?.increment({ ...increment(0, FIRST, FIRST.length), captureId: 4 });
  helper.listener?.ended({ captureId: 4, reason: "failed", problem: null, file: "", quality: qualityOf(1) });
  await stage.pass(5_000);
  assert.equal(recording.phase, "recording");
  assert.deepEqual(stage.costs, []);
});

test("several increments at once are one refresh, and refreshes keep their distance", async () => {
  const { helper, stage, recording } = begin();
  await recording.start();
  helper.listener?.increment(increment(0, FIRST, 100));
  helper.listener?.increment(increment(1, gzipSync(""), 120));
  await stage.pass(0);
  assert.equal(stage.costs.length, 1);
  helper.listener?.increment(increment(2, gzipSync(""), 140));
  await stage.pass(100);
  assert.equal(stage.costs.length, 1, "too soon after the last");
  await stage.pass(700);
  assert.equal(stage.costs.length, 2);
});

test("left-out increments are read from the file, from where the last one ended", async () => {
  const { helper, stage, recording } = begin();
  const file = Buffer.concat([FIRST, gzipSync(""), gzipSync("")]);
  stage.files.set("/captures/x.pb.gz", file);
  await recording.start();
  helper.listener?.increment(increment(0, FIRST, FIRST.length));
  helper.listener?.resync({
    captureId: 3,
    file: "/captures/x.pb.gz",
    fileBytes: file.length,
    droppedIncrements: 2,
    nextSequence: 3,
  });
  helper.listener?.increment(increment(3, gzipSync(""), file.length + 20));
  await stage.pass(1_000);
  assert.deepEqual(stage.reads, [["/captures/x.pb.gz", FIRST.length, file.length]]);
  assert.equal(recording.problem, undefined);
  assert.equal(recording.needsWholeFile, true, "as in the protocol");
});

test("the end of a capture whose sampling ended early is only in its file", async () => {
  for (const isBegun of [true, false]) {
    const { helper, stage, recording } = begin();
    await recording.start();
    if (isBegun) helper.listener?.increment(increment(0, FIRST, FIRST.length));
    await stage.pass(1_000);
    assert.equal(recording.needsWholeFile, false);
    const gaps = { ...qualityOf(1).gaps, ended_early: true };
    const quality = qualityOf(1, { gaps });
    helper.listener?.ended({ captureId: 3, reason: "failed", problem: null, file: "", quality });
    await settled();
    assert.equal(recording.needsWholeFile, isBegun);
  }
});

test("an unreported gap stops the capture in memory, not the recording", async () => {
  const { helper, stage, recording } = begin();
  await recording.start();
  helper.listener?.increment(increment(0, FIRST, 100));
  helper.listener?.increment(increment(2, gzipSync(""), 140));
  await stage.pass(1_000);
  assert.match(recording.problem?.message ?? "", /increment 2 came instead of 1/);
  assert.equal(recording.phase, "recording");
  assert.equal(recording.needsWholeFile, true);
});

test("an increment that makes no sense does the same", async () => {
  const { helper, stage, recording } = begin();
  await recording.start();
  helper.listener?.increment(increment(0, Buffer.from("no gzip at all"), 100));
  await stage.pass(1_000);
  assert.ok(recording.problem !== undefined);
  assert.equal(recording.needsWholeFile, true);
});

test("the helper goes away: ended, with what came last counted", async () => {
  const { helper, stage, recording } = begin();
  await recording.start();
  helper.listener?.increment(increment(0, FIRST, FIRST.length, 9));
  helper.listener?.helperGone("it was ended by signal SIGKILL");
  await settled();
  assert.equal(recording.phase, "ended");
  assert.equal(stage.ends[0]?.reason, "helperGone");
  assert.equal(stage.ends[0]?.problem?.why, "it was ended by signal SIGKILL");
  assert.equal(stage.costs.length, 1);
  assert.ok(!helper.methods().includes("extrospect/detach"), "there is no user to answer");
});

test("the end of the helper before this one is of no concern", async () => {
  const { helper, recording } = begin();
  const attach = helper.answers["extrospect/attach"];
  assert.ok(attach);
  helper.answers["extrospect/attach"] = () => {
    helper.listener?.helperGone("it was ended by signal SIGKILL");
    return attach();
  };
  await recording.start();
  assert.equal(recording.phase, "recording");
});

test("a helper that is gone before the capture starts is requested nothing further, nor is the next one", async () => {
  const [helper, stage] = [new FakeHelper(), new Stage()];
  const fileFor = () => {
    helper.listener?.helperGone("it was ended by signal SIGKILL");
    return OPTIONS.fileFor();
  };
  const recording = new Recording({ ...OPTIONS, fileFor }, stage.environment(helper), stage);
  await assert.rejects(recording.start(), { problem: "ended", why: "it was ended by signal SIGKILL" });
  assert.deepEqual(helper.methods(), ["extrospect/attach"]);
});

test("a helper that is gone before it answers to stop is no failure of the capture", async () => {
  const { helper, stage, recording } = begin();
  helper.answers["extrospect/capture/stop"] = () =>
    Promise.reject(new HelperError("ended", "The helper ended before it answered", "it is closed", ""));
  await recording.start();
  await recording.stop();
  await settled();
  assert.deepEqual(
    stage.ends.map(({ reason }) => reason),
    ["helperGone"],
  );
  assert.ok(!helper.methods().includes("extrospect/detach"));
});

for (const reason of ["duration", "targetGone", "writeFailed", "failed", "shutdown"] as const) {
  test(`ended by itself: ${reason}`, async () => {
    const { helper, stage, recording } = begin();
    await recording.start();
    const problem =
      reason === "writeFailed" ? { what: "No space", why: "the disk is full", fix: "", exitCode: 1 } : null;
    helper.listener?.ended({ captureId: 3, reason, problem, file: "", quality: qualityOf(1) });
    await settled();
    assert.deepEqual(stage.ends, [{ reason, problem }]);
    await recording.stop();
    assert.ok(!helper.methods().includes("extrospect/capture/stop"));
  });
}
