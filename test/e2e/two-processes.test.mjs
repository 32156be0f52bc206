// The process that answers requests reads no other process, and the process that samples does nothing else: as /proc
// and strace show both, and when either of them is killed or stopped.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { HELPER, helperJson, runHelper, samplersOf, temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

const NOBODY = 65_534;
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

test("who samples starts nothing and opens nothing for writing; who is asked looks into no process", async (t) => {
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
  assert.match(texts(false).join("\n"), /execve\("[^"]*git"/, "git was asked");
  for (const trace of texts(false)) assert.doesNotMatch(trace, LOOKS);
});

test("both are without rights that they do not need, and the one that samples is locked in", async (t) => {
  const folder = mkdtempSync("/opt/extrospect-two-");
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o777);
  const program = join(folder, "extrospect");
  copyFileSync(HELPER, program);
  assert.equal(
    spawnSync("setcap", ["cap_perfmon,cap_bpf,cap_sys_ptrace,cap_sys_nice,cap_ipc_lock=p", program]).status,
    0,
  );
  const vm = await busyVm(t, NOBODY);
  const { child, asked, sampler, ended } = await recording(t, vm.pid, {
    program,
    folder,
    wrapper: ["setpriv", "--reuid", `${NOBODY}`, "--regid", `${NOBODY}`, "--clear-groups", "--"],
  });
  for (const set of ["CapPrm", "CapEff", "CapInh"])
    assert.equal(Number(`0x${statusOf(asked, set)}`), 0, `${set} of the one that was asked`);
  assert.equal(Number(`0x${statusOf(sampler, "CapInh")}`), 0);
  const limits = readFileSync(`/proc/${sampler}/limits`, "utf8");
  assert.match(limits, /^Max core file size +0 +0 /m);
  assert.match(limits, new RegExp(`^Max data size +${2 ** 31} +${2 ** 31} `, "m"));
  const SYS_PTRACE = 1n << 19n;
  for (const tid of readdirSync(`/proc/${sampler}/task`)) {
    const of = (/** @type {string} */ name) => statusOf(Number(tid), name);
    assert.equal(BigInt(`0x${of("CapPrm")}`) & SYS_PTRACE, 0n, "it may look into no other process");
    assert.equal(of("Seccomp"), "2");
    assert.equal(of("NoNewPrivs"), "1");
  }
  child.kill("SIGINT");
  assert.equal((await ended).code, 0, (await ended).stderr);
});

test("the process that samples is killed: what was captured is kept, and it is said", async (t) => {
  const vm = await busyVm(t);
  const { sampler, file, ended } = await recording(t, vm.pid);
  process.kill(sampler, "SIGKILL");
  const run = await ended;
  assert.equal(run.code, 1);
  assert.match(run.stderr, /the sampling process has exited: signal: 9 .*the samples captured until then are kept/);
  assert.ok(sampled(file) > 0);
});

test("an editor hears of it, keeps its file, and captures again", async (t) => {
  const vm = await busyVm(t);
  const client = new RpcClient({ XDG_STATE_HOME: temporaryFolder(t) });
  t.after(() => client.kill());
  await client.initialize();
  const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
  const start = () =>
    client.request("extrospect/capture/start", { attachmentId, frequencyHz: 499, durationSeconds: 0 });
  const { file } = await start();
  await client.notified("extrospect/capture/increment", 3);
  const [sampler = 0] = samplersOf(/** @type {number} */ (client.child.pid));
  process.kill(sampler, "SIGKILL");
  const [ended] = await client.notified("extrospect/capture/ended", 1);
  assert.equal(ended.reason, "failed");
  assert.match(ended.problem.what, /signal: 9/);
  assert.ok(sampled(file) > 0);
  const again = await start();
  await client.notified("extrospect/capture/increment", 6);
  const stopped = await client.request("extrospect/capture/stop", { captureId: again.captureId });
  assert.equal(stopped.reason, "stopped");
  assert.deepEqual(samplersOf(/** @type {number} */ (client.child.pid)), [], "nothing that samples is left");
});

test("the process that samples is stopped for a while and goes on: so does the capture", async (t) => {
  const vm = await busyVm(t);
  const { child, sampler, file, ended } = await recording(t, vm.pid);
  process.kill(sampler, "SIGSTOP");
  await until("it is stopped", () => statusOf(sampler, "State") === "T" || undefined);
  const before = sampled(file);
  process.kill(sampler, "SIGCONT");
  await until("more samples", () => sampled(file) > before || undefined);
  child.kill("SIGINT");
  assert.equal((await ended).code, 0, (await ended).stderr);
});

test("who is asked is killed: the process that samples ends by itself, and the file is as it was", async (t) => {
  const vm = await busyVm(t);
  const { asked, sampler, file } = await recording(t, vm.pid);
  process.kill(asked, "SIGKILL");
  await until("the process that samples has ended", () => !lives(sampler) || undefined);
  assert.ok(sampled(file) > 0);
});

test("Ctrl-C goes to both, and ends the capture once", async (t) => {
  const vm = await busyVm(t);
  const { child, sampler, file, ended } = await recording(t, vm.pid);
  process.kill(sampler, "SIGINT");
  child.kill("SIGINT");
  const run = await ended;
  assert.equal(run.code, 0, run.stderr);
  assert.equal(JSON.parse(run.stdout).ended, "stopped");
  assert.ok((await helperJson(["top", file])).samples > 0);
});

test("it takes no orders but those it knows, and says nothing to who makes none", async () => {
  for (const input of ["", "x".repeat(100), "\xff\xff\xff\xff\0\0\0\0"]) {
    const run = spawnSync(HELPER, ["sampler"], { input: Buffer.from(input, "latin1"), encoding: "latin1" });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(run.stdout, "");
  }
  const order = Buffer.from('"Take"');
  const frame = Buffer.concat([Buffer.from([order.length, 0, 0, 0, 0, 0, 0, 0]), order]);
  const run = spawnSync(HELPER, ["sampler"], { input: frame, encoding: "latin1" });
  assert.match(run.stdout, /out of order/);
});
