// The recording against the real helper and a real VM, through nothing but pipes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ErrorCodes } from "../../../contract/protocol.generated.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { checkedAnswer, INITIALIZATION_OPTIONS } from "../../../extension/src/helper/handshake.js";
import { HelperError, refusalOf } from "../../../extension/src/helper/helper-error.js";
import { until } from "../../until.mjs";
import { ENGLISH } from "./fakes.js";
import { busyVm, HELPER, PipedHelper, recordingOf } from "./piped-helper.js";

test("a capture grows while it runs, and in the end has the content of its file", async (t) => {
  const [helper, vm] = [new PipedHelper(t), await busyVm(t)];
  checkedAnswer(await helper.initialize(), { name: HELPER }, ENGLISH);
  const { recording, ended, costs } = recordingOf(t, helper, vm.pid, 0);
  await recording.start();
  assert.equal(recording.phase, "recording");
  const samples = () => recording.capture.totals.samples;
  await until("more than 100 samples", () => samples() > 100);
  const halfway = samples();
  await until("more of them, by another refresh", () => samples() > halfway && costs.length >= 2);
  void recording.stop();
  assert.deepEqual(await ended, { reason: "stopped", problem: null });
  assert.equal(recording.problem, undefined);
  assert.ok(recording.capture.totals.samples > halfway);
  assert.ok(costs.length >= 2, `${String(costs.length)} refreshes`);
  const file = decodeCapture(readFileSync(recording.file));
  assert.deepEqual(recording.capture.totals, file.totals);
  assert.deepEqual(recording.quality, file.facts.quality);
  assert.equal(file.facts.target?.pid, vm.pid);
  const sort = recording.capture.top().rows.find(({ name }) => name.startsWith("lists:"));
  assert.ok(sort !== undefined, "the VM sorts");
  // Nothing is left behind: the recording detached by itself, and the helper no longer knows the attachment.
  assert.deepEqual(helper.detached, [1]);
  await helper.settled;
  await assert.rejects(helper.request("extrospect/detach", { attachmentId: 1 }), HelperError);
});

test("the helper is killed: what came so far stays, in memory and in the file", async (t) => {
  const [helper, vm] = [new PipedHelper(t), await busyVm(t)];
  await helper.initialize();
  const { recording, ended } = recordingOf(t, helper, vm.pid, 0);
  await recording.start();
  await until("more than 100 samples", () => recording.capture.totals.samples > 100);
  helper.child.kill("SIGKILL");
  assert.equal((await ended).reason, "helperGone");
  const { samples } = recording.capture.totals;
  assert.ok(samples > 100);
  assert.ok(decodeCapture(readFileSync(recording.file)).totals.samples >= samples);
});

test("the VM ends: the capture ends with it, for that reason", async (t) => {
  const [helper, vm] = [new PipedHelper(t), await busyVm(t)];
  await helper.initialize();
  const { recording, ended } = recordingOf(t, helper, vm.pid, 0);
  await recording.start();
  await until("samples", () => recording.capture.totals.samples > 0);
  vm.kill("SIGKILL");
  assert.equal((await ended).reason, "targetGone");
  assert.ok(recording.capture.totals.samples > 0);
});

test("refusals come in words", async (t) => {
  const helper = new PipedHelper(t);
  await helper.initialize();
  const { recording } = recordingOf(t, helper, process.pid, 0);
  await assert.rejects(recording.start(), (error) => {
    assert.ok(error instanceof HelperError);
    assert.equal(error.code, ErrorCodes.noSuchTarget);
    assert.ok(error.what !== "" && error.fix !== "");
    return true;
  });
  assert.equal(recording.phase, "ended");
});

test("another protocol version is refused as such", async (t) => {
  const helper = new PipedHelper(t);
  await assert.rejects(helper.initialize({ ...INITIALIZATION_OPTIONS, protocolVersion: 999 }), (error) => {
    assert.equal(refusalOf(error, ENGLISH)?.problem, "versionMismatch");
    return true;
  });
});

test("of a helper on another machine the file is built here, and removed there", async (t) => {
  const [helper, vm] = [new PipedHelper(t), await busyVm(t)];
  await helper.initialize();
  const { recording, ended } = recordingOf(t, helper, vm.pid, 0, true);
  await recording.start();
  await until("more than 100 samples", () => recording.capture.totals.samples > 100);
  // Whatever has arrived can be opened, also if nothing more comes.
  await until("a file that grows", () => decodeCapture(readFileSync(recording.file)).totals.samples > 100);
  void recording.stop();
  assert.deepEqual(await ended, { reason: "stopped", problem: null });
  assert.equal(recording.problem, undefined);
  const file = decodeCapture(readFileSync(recording.file));
  assert.deepEqual(recording.capture.totals, file.totals);
  assert.deepEqual(recording.quality, file.facts.quality);
  await assert.rejects(
    helper.request("extrospect/capture/read", { captureId: 1, from: 0, maxBytes: 1 }),
    /cannot be read.*No such file/,
  );
});
