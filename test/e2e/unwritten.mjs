// A capture that is not written for a minute, of a VM whose stacks are all different: memory has a bound, samples for which
// there was room are in the file, and the others are counted as left out. EXTROSPECT_UNWRITTEN_MINUTES makes it longer.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, processorSeconds } from "./enough.mjs";
import { NO_FROZEN_DISK, frozenDisk } from "./frozen-disk.mjs";
import { messageLines, runHelper, samplersOf, sleep, temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

const HZ = 997;
/** So many that 64 MiB are nearly full when 33 million wait, and further stacks are shortened: docs/captures.md. */
const FRAMES = 3_000;
const HELD_MS = 60_000 * Number(process.env["EXTROSPECT_UNWRITTEN_MINUTES"] ?? 1);
const MIB = 1 << 20;
/** docs/captures.md: increments that wait, and one that has not ended. */
const WAITING_BYTES = 64 * MIB;
const INCREMENT_BYTES = 16 * MIB;
/** An increment that ends is there three times: as samples, encoded, and compressed. One more for what the allocator keeps. */
const MOST_MORE_BYTES = WAITING_BYTES + 4 * INCREMENT_BYTES;
/** The longest wait for anything that depends on the other load of the machine. */
const PATIENCE_MS = 15 * 60_000 + 10 * HELD_MS;
/** Of the file, before anything is measured: all lines are known by then. */
const WARM_BYTES = 2 * MIB;
/** Samples are taken at intervals of processor time: their number and the clock of the process differ by little. */
const CLOCK_SHARE = 0.03;

/** @param {string} what @param {() => unknown} check */
const patiently = (what, check) => until(what, check, PATIENCE_MS);
/** @param {string} file */
const sizeOf = (file) => (existsSync(file) ? statSync(file).size : 0);
/** The place in the kernel where the first thread of a process waits. @param {number} pid */
const waitsIn = (pid) => readFileSync(`/proc/${pid}/wchan`, "utf8");

/** Memory of the processes, bytes. @param {number[]} pids */
function residentBytes(pids) {
  const kib = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]));
  return 1024 * kib.reduce((sum, each) => sum + each, 0);
}

/** @param {import("node:test").TestContext} t */
async function vmOfUnlikeStacks(t) {
  const vm = await runErl({
    otp: await prepareOtp("27"),
    module: "gt_unlike",
    args: [FRAMES],
    // Without samples of a scheduler that waits busily.
    emulatorFlags: ["+S", "1:1", "+sbwt", "none"],
  });
  t.after(() => vm.kill());
  return vm;
}

/**
 * The processor time of the VM for each byte of its file, seconds, from the growth of a few megabytes.
 * @param {number} vm @param {string} file
 */
async function warmed(vm, file) {
  await patiently("samples", () => sizeOf(file) > WARM_BYTES);
  const [bytes, seconds] = [sizeOf(file), processorSeconds(vm)];
  await patiently("more samples", () => sizeOf(file) > bytes + WARM_BYTES);
  return (processorSeconds(vm) - seconds) / (sizeOf(file) - bytes);
}

/**
 * Holds for a minute, and until the VM has worked for more than twice the bytes that may wait, since the last stacks are
 * shortened. The memory has its bound, and is flat once there is no more room.
 * @param {import("node:test").TestContext} t
 * @param {number} vm
 * @param {number[]} helper   its processes
 * @param {number} secondsOfByte   of {@link warmed}
 */
async function hold(t, vm, helper, secondsOfByte) {
  const [beganMs, began, before] = [performance.now(), processorSeconds(vm), residentBytes(helper)];
  const worked = () => (processorSeconds(vm) - began) / (secondsOfByte * WAITING_BYTES);
  let [most, fullAt, mostWhileFull] = [before, 0, 0];
  await patiently("it is held", () => {
    const now = residentBytes(helper);
    most = Math.max(most, now);
    if (worked() > 2.2) {
      fullAt ||= now;
      mostWhileFull = Math.max(mostWhileFull, now);
    }
    return most - before > MOST_MORE_BYTES || (worked() > 2.6 && performance.now() - beganMs > HELD_MS);
  });
  assert.ok(most - before <= MOST_MORE_BYTES, `${(most - before) / MIB} MiB more, ${worked()} times the room`);
  assert.ok(mostWhileFull - fullAt <= INCREMENT_BYTES, `${(mostWhileFull - fullAt) / MIB} MiB more without room`);
  t.diagnostic(
    `held for ${Math.round((performance.now() - beganMs) / 1000)} s, ${worked().toFixed(1)} times the room: ` +
      `${Math.round(before / MIB)} MiB before, ${Math.round(most / MIB)} at most`,
  );
}

/**
 * The file opens, and has every sample that is not counted as lost.
 * @param {string} file @param {any} quality   as of the end of the capture
 */
async function assertWhole(file, quality) {
  assertCountsAddUp(quality);
  const { samples, lost, gaps, process_time: clock } = quality;
  const taken = samples + lost + (gaps.unwritten ?? 0);
  const expected = (clock.cpu_ns / 1e9) * HZ;
  assert.ok(Math.abs(taken - expected) <= CLOCK_SHARE * expected, `${taken} samples of ${expected}`);
  const json = await runHelper(["top", file, "-n", "1", "--json"]);
  assert.equal(json.code, 0, json.stderr);
  const shown = JSON.parse(json.stdout);
  assert.equal(shown.samples, samples);
  assert.deepEqual(shown.quality, quality);
  const text = await runHelper(["top", file, "-n", "1"]);
  const notes = messageLines(text).filter((line) => !line.includes("[shortened]"));
  assert.deepEqual(notes, [], "no note of a missing end");
  return text.stdout;
}

/** @param {import("node:test").TestContext} t @param {any} quality @param {string} text   of `top` */
function assertLossIsSaid(t, quality, text) {
  const { unwritten } = quality.gaps;
  assert.ok(unwritten > 0, JSON.stringify(quality));
  const words = new RegExp(`; (\\S+) samples left out while the capture was not written`);
  assert.equal(Number(words.exec(text)?.[1]?.replaceAll(",", "")), unwritten, text);
  t.diagnostic(`${quality.samples} samples, ${unwritten} left out, ${quality.lost} lost`);
}

/**
 * Records into a file while `begin` and `end` make writing it impossible, and possible again.
 * @param {import("node:test").TestContext} t
 * @param {string} engine
 * @param {{output: string, file?: string, begin: (record: import("node:child_process").ChildProcess) => unknown,
 *   end: (record: import("node:child_process").ChildProcess) => unknown}} fault   `file` is filled from `output`
 */
async function assertUnwritten(t, engine, { output, file = output, begin, end }) {
  const vm = await vmOfUnlikeStacks(t);
  const args = ["-d", 0, "-F", HZ, "--max-overhead", "off", "-o", output, "--force", "--engine", engine, "--json"];
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let record;
  t.after(() => record?.kill("SIGKILL"));
  const running = runHelper(["record", vm.pid, ...args], { onStart: (child) => void (record = child) });
  assert.ok(record?.pid);
  const secondsOfByte = await warmed(vm.pid, file);
  const helper = [record.pid, ...samplersOf(record.pid)];
  try {
    await begin(record);
    await hold(t, vm.pid, helper, secondsOfByte);
  } finally {
    await end(record);
  }
  const written = sizeOf(file);
  await patiently("it is written again", () => sizeOf(file) > written + WAITING_BYTES / 2);
  record.kill("SIGINT");
  const run = await running;
  assert.equal(run.code, 0, run.stderr);
  const { quality, ended } = JSON.parse(run.stdout);
  assert.equal(ended, "stopped");
  assertLossIsSaid(t, quality, await assertWhole(file, quality));
}

/** @param {"bpf" | "readv"} engine */
export function testUnwritten(engine) {
  test(`${engine}: a disk that hangs`, { skip: NO_FROZEN_DISK }, async (t) => {
    const disk = await frozenDisk(t);
    await assertUnwritten(t, engine, {
      output: join(disk.folder, "capture.pb.gz"),
      begin: disk.freeze,
      end: disk.thaw,
    });
  });

  test(`${engine}: record is stopped while it is sent an increment`, async (t) => {
    await assertUnwritten(t, engine, {
      output: join(temporaryFolder(t), "capture.pb.gz"),
      begin: async (record) => {
        const [sampler = 0] = samplersOf(Number(record.pid));
        // It waits for room in its pipe again and again. Otherwise it waits for the thread that looks at the code.
        const isSending = async () => {
          let waits = 0;
          for (let look = 0; look < 25; look += 1) {
            if (/pipe_write|poll/.test(waitsIn(sampler))) waits += 1;
            await sleep(20);
          }
          return waits >= 3;
        };
        await patiently("an increment on its way", async () => {
          record.kill("SIGSTOP");
          await sleep(500);
          if (await isSending()) return true;
          record.kill("SIGCONT");
          await sleep(500 + 1_000 * Math.random());
          return false;
        });
      },
      end: (record) => record.kill("SIGCONT"),
    });
  });

  test(`${engine}: a pipe whose reader is stopped`, async (t) => {
    const folder = temporaryFolder(t);
    const [pipe, file] = [join(folder, "pipe"), join(folder, "capture.pb.gz")];
    execFileSync("mkfifo", [pipe]);
    const reader = spawn("sh", ["-c", 'exec cat "$0" > "$1"', pipe, file], { stdio: "ignore" });
    const ended = new Promise((resolve) => reader.once("exit", resolve));
    t.after(() => reader.kill("SIGKILL"));
    await until("the other end of the pipe", () => waitsIn(Number(reader.pid)).includes("partner"));
    await assertUnwritten(t, engine, {
      output: pipe,
      file,
      begin: () => reader.kill("SIGSTOP"),
      end: () => reader.kill("SIGCONT"),
    });
    await ended;
  });

  test(`${engine}: an editor that does not read: the file has all`, async (t) => {
    const vm = await vmOfUnlikeStacks(t);
    const client = new RpcClient();
    t.after(() => client.kill());
    await client.initialize();
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
    const { captureId } = await client.request("extrospect/capture/start", {
      attachmentId,
      frequencyHz: HZ,
      durationSeconds: 0,
      engine,
      file,
    });
    const secondsOfByte = await warmed(vm.pid, file);
    const serve = Number(client.child.pid);
    client.child.stdout.pause();
    await hold(t, vm.pid, [serve, ...samplersOf(serve)], secondsOfByte);
    client.child.stdout.resume();
    await client.notified("extrospect/capture/resync", 1);
    const { quality } = await client.request("extrospect/capture/stop", { captureId });
    const text = await assertWhole(file, quality);
    assert.equal(quality.gaps.unwritten ?? 0, 0);
    assert.doesNotMatch(text, /not written/);
    await client.shutdown();
  });
}
