// Captures that are not written for minutes, at the highest rate, with no two samples alike: memory has a bound, what does
// not fit is counted, and the file opens.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LONGEST_FILE_MS } from "../../scripts/patience.mjs";
import { freezableDisk } from "../hosts/frozen-disk.mjs";
import { readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, processorSeconds } from "./enough.mjs";
import { HELPER, runHelper, samplersOf, temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

const HZ = 997;
const MIB = 1 << 20;
/** `Bounds` of crates/captures/capture/src/writer/waiting.rs: compressed increments that wait. */
const WAITING_BYTES = 64 * MIB;
/** The increment in work and its compression come in addition, and what the allocator keeps of earlier ones. */
const MOST_GROWTH_BYTES = 2.5 * WAITING_BYTES;
/** Once increments wait as far as there is room, memory grows no further: by pages that are touched late, at most. */
const MOST_GROWTH_AFTER_BYTES = 16 * MIB;
/** Processor time of the VM until the room is full: a sample takes some 190 bytes. */
const SECONDS_TO_FILL = 420;
const SECONDS_AFTER = 120;

/** @param {import("node:test").TestContext} t */
async function unlikeVm(t) {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_unlike" });
  t.after(() => vm.kill());
  return vm;
}

/** Memory of its own, without files and what it shares with the kernel. @param {number} pid */
const anonymousBytes = (pid) =>
  1024 * Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** @param {number} pid @param {number} seconds   of processor time */
async function untilWorked(pid, seconds) {
  const before = processorSeconds(pid);
  await until(`${seconds} s of work`, () => processorSeconds(pid) - before >= seconds, LONGEST_FILE_MS);
}

/**
 * The memory of processes while the capture is not written: at its beginning, when there is no room left, and some time
 * after.
 * @param {import("node:test").TestContext} t @param {number} target @param {number[]} pids
 */
async function assertBounded(t, target, pids) {
  const bytes = () => pids.reduce((sum, pid) => sum + anonymousBytes(pid), 0);
  const atFirst = bytes();
  await untilWorked(target, SECONDS_TO_FILL);
  const full = bytes();
  await untilWorked(target, SECONDS_AFTER);
  const after = bytes();
  const mib = [atFirst, full, after].map((size) => (size / MIB).toFixed(1)).join(", ");
  t.diagnostic(`MiB at first, after ${SECONDS_TO_FILL} s of work, after ${SECONDS_AFTER} s more: ${mib}`);
  assert.ok(full - atFirst <= MOST_GROWTH_BYTES, mib);
  assert.ok(after - full <= MOST_GROWTH_AFTER_BYTES, mib);
}

/**
 * @param {import("node:test").TestContext} t
 * @param {{engine: string, pid: number, folder: string}} wanted
 */
async function recordingOf(t, { engine, pid, folder }) {
  const file = join(folder, "capture.pb.gz");
  const args = ["record", `${pid}`, "-d", "0", "-F", `${HZ}`, "-o", file, "--engine", engine, "--max-overhead", "off"];
  const child = spawn(HELPER, [...args, "--json"], { stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, ...output })));
  const asked = /** @type {number} */ (child.pid);
  const sampler = /** @type {number} */ (await until("a process that samples", () => samplersOf(asked)[0]));
  await until("samples in the file", () => readUnfinishedProfile(file).samples.length > 0);
  return { child, asked, sampler, file, ended: /** @type {Promise<import("./helper.mjs").Run>} */ (ended) };
}

/**
 * @param {import("node:test").TestContext} t
 * @param {{engine: string, folder: string, stop: (asked: number) => void, goOn: (asked: number) => void}} how
 */
async function assertLossIsCounted(t, { engine, folder, stop, goOn }) {
  const vm = await unlikeVm(t);
  const { child, asked, sampler, file, ended } = await recordingOf(t, { engine, pid: vm.pid, folder });
  stop(asked);
  try {
    await assertBounded(t, vm.pid, [asked, sampler]);
  } finally {
    goOn(asked);
  }
  const size = statSync(file).size;
  await until("what waited is written", () => statSync(file).size > size + WAITING_BYTES / 2, LONGEST_FILE_MS);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  const { quality } = JSON.parse(stdout);
  t.diagnostic(JSON.stringify({ samples: quality.samples, lost: quality.lost, gaps: quality.gaps }));
  assertCountsAddUp(quality);
  assert.ok(quality.gaps.unwritten > 0, "what did not fit is counted");
  const top = await runHelper(["top", file, "--json"]);
  assert.equal(top.code, 0, top.stderr);
  const opened = JSON.parse(top.stdout);
  assert.equal(opened.quality.samples, quality.samples, "the file has what the summary has");
  assert.equal(opened.quality.gaps.unwritten, quality.gaps.unwritten);
  assert.match((await runHelper(["top", file])).stdout, /samples? left out while the capture was not written/);
}

/** @param {string} engine */
export function testUnwritten(engine) {
  test(`${engine}: the disk hangs for minutes`, async (t) => {
    const { folder, freeze, thaw } = freezableDisk(t);
    await assertLossIsCounted(t, { engine, folder, stop: freeze, goOn: thaw });
  });

  test(`${engine}: record is stopped for minutes, so that the pipe to it is full`, async (t) => {
    const signal = (/** @type {NodeJS.Signals} */ name) => (/** @type {number} */ asked) =>
      void process.kill(asked, name);
    await assertLossIsCounted(t, {
      engine,
      folder: temporaryFolder(t),
      stop: signal("SIGSTOP"),
      goOn: signal("SIGCONT"),
    });
  });

  test(`${engine}: an editor that does not read for minutes loses nothing: the file has all of it`, async (t) => {
    const vm = await unlikeVm(t);
    const client = new RpcClient();
    t.after(() => client.kill());
    await client.initialize();
    const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
    const wanted = { attachmentId, frequencyHz: HZ, durationSeconds: 0, engine };
    const { captureId, file } = await client.request("extrospect/capture/start", {
      ...wanted,
      file: join(temporaryFolder(t), "capture.pb.gz"),
    });
    await client.notified("extrospect/capture/increment", 2);
    const asked = /** @type {number} */ (client.child.pid);
    client.child.stdout.pause();
    await assertBounded(t, vm.pid, [asked, ...samplersOf(asked)]);
    client.child.stdout.resume();
    const { quality } = await client.request("extrospect/capture/stop", { captureId });
    assertCountsAddUp(quality);
    assert.equal(quality.gaps.unwritten ?? 0, 0, "the file took all of it");
    const top = await runHelper(["top", file, "--json"]);
    assert.equal(JSON.parse(top.stdout).quality.samples, quality.samples);
    await client.shutdown();
  });
}
