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
import { HELPER, helperJson, samplersOf, temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

const NOBODY = 65_534;

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
    assert.equal(Number(`0x${statusOf(asked, set)}`), 0, `${set} of the queried one`);
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

test("an editor is notified, keeps its file, and captures again", async (t) => {
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
