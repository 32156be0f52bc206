// VMs in containers: their names, both their process ids, and that they are captured like others.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { machineLock } from "../machine-lock.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { undoneAfter } from "../undone.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources, runErl } from "../vms/vm.mjs";
import { recordUntil } from "./enough.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

const ID = "e1f2".repeat(16);
const IMAGE = "registry.example/shop:1.2";

/** Where control groups can be made here, of version 2 or 1. */
const GROUPS = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"].find((folder) =>
  existsSync(join(folder, "cgroup.procs")),
);

const DOCKER = "/var/lib/docker";
/** Milliseconds that the exit of this process waits until a killed VM has left its group. */
const EMPTY_WITHIN_MS = 5_000;

/** At the exit of this process, where nothing can be awaited. @param {string} group */
function removeOnceEmpty(group) {
  const untilMs = performance.now() + EMPTY_WITHIN_MS;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return rmdirSync(group);
    } catch (error) {
      // eslint-disable-next-line gate/measured-time -- it judges no product, and ends the exit
      if (performance.now() > untilMs) throw error;
      // eslint-disable-next-line gate/fixed-wait -- the pause between two attempts
      Atomics.wait(clock, 0, 0, 20);
    }
  }
}

/** The VM's row in `list`. @param {number} pid */
async function rowOf(pid) {
  const rows = await helperJson(["list"]);
  return rows.find((/** @type {any} */ row) => row.pid === pid);
}

/** Functions and files of a VM's own code in samples of it. @param {import("node:test").TestContext} t @param {number} pid */
function ownFrames(t, pid) {
  const file = join(temporaryFolder(t), "capture.pb.gz");
  return recordUntil(
    pid,
    { seconds: 1, file },
    "samples in the VM's own functions",
    () =>
      readProfile(file)
        .samples.flatMap(({ frames }) => frames)
        .filter(({ name }) => name.startsWith("gt_erlang:")),
    (frames) => frames.length > 10,
  );
}

test("a VM where Docker would have it: name, image, both process ids; captured by the outer one", async (t) => {
  if (process.getuid?.() !== 0 || GROUPS === undefined) return t.skip("control groups and namespaces are made by root");
  // First: another run that has the lock has these files, too.
  await machineLock(t, "containers");
  const state = join(DOCKER, "containers", ID);
  // Of a run that was killed.
  const isLeft = existsSync(state);
  if (existsSync(DOCKER) && !isLeft) return t.skip("a Docker of this machine has its files where ours would be");
  const undo = undoneAfter(t);
  const parent = join(GROUPS, "docker");
  const group = join(parent, ID);
  try {
    const isOurs = (/** @type {string} */ folder) =>
      !existsSync(folder) ||
      (isLeft && readdirSync(folder, { withFileTypes: true }).every((one) => !one.isDirectory() || one.name === ID));
    for (const folder of [parent, group].filter(isOurs)) {
      mkdirSync(folder, { recursive: true });
      undo(
        () => until("an empty group", () => (rmdirSync(folder), true)),
        () => removeOnceEmpty(folder),
      );
    }
  } catch (error) {
    return t.skip(`no control group can be made here: ${String(error)}`);
  }
  undo(() => rmSync(DOCKER, { recursive: true, force: true }));
  mkdirSync(state, { recursive: true });
  writeFileSync(
    join(state, "config.v2.json"),
    JSON.stringify({ ID, Name: "/shop-1", Config: { Image: IMAGE, Labels: {} }, State: { Running: true } }),
    { mode: 0o600 },
  );

  const otp = await prepareOtp("25");
  await compileSources(otp);
  const script = 'echo $$ > "$0" && exec unshare --mount --pid --fork --kill-child --mount-proc "$@"';
  /** @type {import("../vms/otp.mjs").OtpInstallation["wrap"]} */
  const wrap = (argv) => ["/bin/sh", "-c", script, join(group, "cgroup.procs"), ...argv];
  const vm = await runErl({ otp: { ...otp, wrap }, module: "gt_erlang" });
  undo(() => vm.kill());
  const pids = () => readFileSync(join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  // Programs that the VM starts may end between both looks.
  const pid = await until("the VM in its group", () =>
    pids().find((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "beam.smp"),
  );
  assert.notEqual(pid, vm.pid, "it counts its processes itself");

  const row = await rowOf(pid);
  assert.deepEqual(row.containerFacts, { runtime: "docker", id: ID, name: "shop-1", image: IMAGE });
  assert.deepEqual([row.container, row.pidInside, row.attachable], [`docker shop-1 (${IMAGE})`, vm.pid, true]);
  const table = (await runHelper(["list"])).stdout;
  assert.match(table.split("\n")[0] ?? "", /^ *pid +pid inside /);
  assert.match(table, new RegExp(`^ *${pid} +${vm.pid} .* docker shop-1 \\(registry\\.example/shop:1\\.2\\) `, "m"));

  // A user who may not read Docker's files gets only the facts of the control group.
  const stranger = await helperJson(["list"], {
    wrapper: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
  });
  const seen = stranger.find((/** @type {any} */ row) => row.pid === pid);
  assert.deepEqual(seen.containerFacts, { runtime: "docker", id: ID });
  assert.deepEqual([seen.container, seen.attachable], [`docker ${ID.slice(0, 12)}`, false]);

  const frames = await ownFrames(t, pid);
  assert.ok(
    frames.every(({ file }) => file.endsWith("gt_erlang.erl")),
    JSON.stringify(frames.find(({ file }) => !file.endsWith("gt_erlang.erl"))),
  );

  // Its file names are not this machine's, and its captures record that; those of a VM beside it do not.
  const beside = await runErl({ otp, module: "gt_erlang" });
  undo(() => beside.kill());
  assert.deepEqual(
    [(await recordedTarget(t, pid)).other_files, (await recordedTarget(t, beside.pid)).other_files],
    [true, undefined],
  );
});

/** The target as a capture describes it. @param {import("node:test").TestContext} t @param {number} pid */
async function recordedTarget(t, pid) {
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const run = await runHelper(["record", pid, "-d", 1, "-o", file]);
  assert.equal(run.code, 0, run.stderr);
  const comment = readProfile(file).comments.find((one) => one.startsWith("extrospect/target ")) ?? "";
  return JSON.parse(comment.slice("extrospect/target ".length));
}
