// The process that answers requests reads no other process, and the process that samples does nothing else: as /proc
// and strace show both, and when either of them is killed or stopped.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { until } from "../until.mjs";
import { hold, letGo } from "../vms/held.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { HELPER, runHelper, samplersOf, temporaryFolder } from "./helper.mjs";
/** System calls of only a process that reads other processes. */
const LOOKS = /^(process_vm_readv|perf_event_open|bpf)\(/m;
/** System calls of only a process that works for the caller. */
const WORKS =
  /^(execve\((?!"\/proc\/self\/exe")|v?fork\(|socket\(|connect\(|rename|unlink|mkdir)|^open(at2?)?\(.*O_(WRONLY|RDWR|CREAT)/m;

/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("25");
});

/** @param {import("node:test").TestContext} t @param {number} [uid] */
async function busyVm(t, uid) {
  const vm = await runErl({ otp, ...NOW_AND_THEN, ...(uid !== undefined && { uid }) });
  t.after(() => vm.kill());
  return vm;
}

/** @param {number} pid @param {string} name */
const statusOf = (pid, name) =>
  new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];

/** @param {number} pid */
function lives(pid) {
  try {
    return statusOf(pid, "State") !== "Z";
  } catch {
    return false;
  }
}

/**
 * A capture that runs, and its two processes once samples have come.
 * @param {import("node:test").TestContext} t @param {number} pid @param {{program?: string, wrapper?: string[], seconds?: number, folder?: string}} [how]
 */
async function recording(t, pid, { program = HELPER, wrapper = [], seconds = 0, folder = temporaryFolder(t) } = {}) {
  const file = join(folder, "capture.pb.gz");
  const [command = program, ...args] = [
    ...wrapper,
    program,
    "record",
    `${pid}`,
    "-d",
    `${seconds}`,
    "-o",
    file,
    "--json",
  ];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], cwd: folder });
  t.after(() => child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (said.stdout += chunk));
  child.stderr.on("data", (chunk) => (said.stderr += chunk));
  const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, ...said })));
  const asked = /** @type {number} */ (child.pid);
  const sampler = await until("a process that samples", () => samplersOf(asked)[0]);
  await until("samples in the file", () => sampled(file) > 0 || undefined);
  return { child, asked, sampler, file, ended: /** @type {Promise<import("./helper.mjs").Run>} */ (ended) };
}

/** Samples in a file, which may be still growing. @param {string} file */
function sampled(file) {
  const run = spawnSync(HELPER, ["top", file, "--json"], { encoding: "utf8" });
  return run.status === 0 ? JSON.parse(run.stdout).samples : 0;
}

test("the sampling process starts no program and opens no file for writing; the answering one reads no process", async (t) => {
  const vm = await busyVm(t);
  const folder = temporaryFolder(t);
  const repository = join(folder, "repository");
  for (const args of [
    ["init", "-q", repository],
    ["-C", repository, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "x"],
  ]) {
    assert.equal(spawnSync("git", args).status, 0);
  }
  const log = join(folder, "trace");
  const record = [
    "record",
    vm.pid,
    "-d",
    1,
    "-o",
    join(folder, "capture.pb.gz"),
    "--source-dir",
    repository,
    "--work-command",
    "date +%s",
  ];
  const run = await runHelper(record, {
    wrapper: [
      "strace",
      "-ff",
      "-qq",
      "-o",
      log,
      "-e",
      "trace=process,network,file,process_vm_readv,perf_event_open,bpf",
    ],
  });
  assert.equal(run.code, 0, run.stderr);
  const traces = new Map(
    readdirSync(folder).flatMap((name) =>
      name.startsWith("trace.") ? [[Number(name.slice(6)), readFileSync(join(folder, name), "utf8")]] : [],
    ),
  );
  const [sampler] = [...traces].find(([, trace]) => /^execve\("\/proc\/self\/exe", \[.*"sampler"\]/m.test(trace)) ?? [];
  assert.ok(sampler, "there is a process that samples");
  // Its threads: whatever it has cloned, and they.
  const its = new Set([sampler]);
  for (const tid of its)
    for (const [, child] of traces.get(tid)?.matchAll(/^clone3?\(.*= (\d+)$/gm) ?? []) its.add(Number(child));
  const afterExec = (/** @type {string} */ trace) => trace.slice(Math.max(0, trace.lastIndexOf("execve(")));
  const texts = (/** @type {boolean} */ samples) =>
    [...traces].filter(([tid]) => its.has(tid) === samples).map(([, trace]) => (samples ? afterExec(trace) : trace));
  assert.match(texts(true).join("\n"), LOOKS);
  for (const trace of texts(true)) assert.doesNotMatch(trace, WORKS);
  assert.match(texts(false).join("\n"), /execve\("[^"]*git"/, "git was queried");
  for (const trace of texts(false)) assert.doesNotMatch(trace, LOOKS);
});

test("the sampling process is killed: the samples so far are kept, and the end is reported", async (t) => {
  const vm = await busyVm(t);
  const { sampler, file, ended } = await recording(t, vm.pid);
  process.kill(sampler, "SIGKILL");
  const run = await ended;
  assert.equal(run.code, 1);
  assert.match(run.stderr, /the sampling process has exited: signal: 9 .*the samples captured until then are kept/);
  assert.ok(sampled(file) > 0);
  // No process counted the losses after the last increment.
  const top = spawnSync(HELPER, ["top", file], { encoding: "utf8" });
  assert.match(top.stdout, /^quality: .* (an unknown number|at least \d+) lost, .*; sampling ended early: /m);
  const exported = spawnSync(HELPER, ["export", file, "--format", "folded"], { encoding: "utf8" });
  assert.match(exported.stderr, /sampling ended early: the sampling process exited$/m);
});

test("the sampling process is stopped and continued: the capture continues", async (t) => {
  const vm = await busyVm(t);
  const { child, sampler, file, ended } = await recording(t, vm.pid);
  // A disturbance of the machine, which may have stopped it before, does not let a held process go on.
  hold(sampler);
  t.after(() => letGo(sampler));
  await until("it is stopped", () => statusOf(sampler, "State") === "T" || undefined);
  const before = sampled(file);
  letGo(sampler);
  await until("more samples", () => sampled(file) > before || undefined);
  child.kill("SIGINT");
  assert.equal((await ended).code, 0, (await ended).stderr);
});

test("the answering process is killed: the sampling one ends by itself, and the file stays", async (t) => {
  const vm = await busyVm(t);
  const { asked, sampler, file } = await recording(t, vm.pid);
  process.kill(asked, "SIGKILL");
  await until("the process that samples has ended", () => !lives(sampler) || undefined);
  assert.ok(sampled(file) > 0);
});

test("it takes known orders only, and does not answer other input", async () => {
  for (const input of ["", "x".repeat(100), "\xff\xff\xff\xff\0\0\0\0"]) {
    const run = spawnSync(HELPER, ["sampler"], { input: Buffer.from(input, "latin1"), encoding: "latin1" });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(run.stdout, "");
  }
  const order = Buffer.from('{"Running":{"Take":{}}}');
  const frame = Buffer.concat([Buffer.from([order.length, 0, 0, 0, 0, 0, 0, 0]), order]);
  const run = spawnSync(HELPER, ["sampler"], { input: frame, encoding: "latin1" });
  assert.match(run.stdout, /out of order/);
});
