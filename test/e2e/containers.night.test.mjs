// VMs in containers: their names, both their process ids, and that they are captured like others.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { addAccount } from "../accounts.mjs";
import { machineLock } from "../machine-lock.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { undoneAfter } from "../undone.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources } from "../vms/vm.mjs";
import { recordUntil } from "./enough.mjs";
import { HELPER, helperJson, temporaryFolder } from "./helper.mjs";

/** Where control groups can be made here, of version 2 or 1. */
const GROUPS = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"].find((folder) =>
  existsSync(join(folder, "cgroup.procs")),
);

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

// crun takes no mixture of control groups of both versions, and the limits may be lower here than Podman's own.
const PODMAN = ["podman", "--runtime", "runc", "--cgroup-manager", "cgroupfs"];
const LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000"];
const IMAGE_HERE = "localhost/extrospect-test:1.2";

const hasPodman = () => ["podman", "runc", "newuidmap"].every((program) => spawnSync("which", [program]).status === 0);

/**
 * A VM in a container of Podman's, and its expected row in `list`.
 * @param {import("node:test").TestContext} t
 * @param {{folder: string, wrapper: string[], undo: import("../undone.mjs").Undo}} by
 *   the user who runs Podman; `folder` is theirs to read
 */
async function runInPodman(t, { folder, wrapper, undo }) {
  const [program = "", ...before] = [...wrapper, ...PODMAN];
  const podman = (/** @type {string[]} */ ...args) =>
    execFileSync(program, [...before, ...args], {
      cwd: "/",
      encoding: "utf8",
      timeout: 60_000,
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const beams = await compileSources(await prepareOtp("25"));
  // An image of empty folders; their contents are this machine's.
  const shared = ["usr", "bin", "lib", "lib64", "etc"];
  for (const name of [...shared, "proc", "sys", "dev", "tmp", "run", "var/tmp", beams.slice(1)])
    mkdirSync(join(folder, "root", name), { recursive: true });
  execFileSync("tar", ["-C", join(folder, "root"), "-cf", join(folder, "image.tar"), "."]);
  podman("import", "--quiet", join(folder, "image.tar"), IMAGE_HERE);
  const volumes = [...shared.map((folder) => `/${folder}:/${folder}:ro`), `${beams}:${beams}:ro`].flatMap((volume) => [
    "--volume",
    volume,
  ]);
  const erl = [
    "/usr/bin/erl",
    "-noinput",
    "-pa",
    beams,
    "-eval",
    "[spawn(fun F() -> gt_erlang:half(10000), F() end) || _ <- [1, 2]]",
  ];
  const name = `extrospect-test-${process.pid}`;
  undo(() => podman("rm", "--force", "--ignore", "--time", "0", name));
  try {
    podman(
      "run",
      "--detach",
      "--name",
      name,
      "--network",
      "none",
      "--env",
      "HOME=/tmp",
      ...LIMITS,
      ...volumes,
      IMAGE_HERE,
      ...erl,
    );
  } catch (error) {
    return void t.skip(`Podman runs no container here: ${String(error).slice(0, 400)}`);
  }
  const [id, pid] = podman("inspect", "--format", "{{.Id}} {{.State.Pid}}", name).split(" ");
  /** @param {any} row */
  const check = (row) => {
    assert.deepEqual(row.containerFacts, { runtime: "podman", id, name, image: IMAGE_HERE });
    assert.deepEqual([row.container, row.pidInside], [`podman ${name} (${IMAGE_HERE})`, 1]);
  };
  // The container runs the emulator once erl and erlexec have become it.
  await until("the VM's row", async () => {
    const row = await rowOf(Number(pid));
    assert.ok(row?.attachable, JSON.stringify(row));
    check(row);
    return true;
  });
  return { pid: Number(pid), check };
}

/** Of root's containers. */
const STORAGE = "/var/lib/containers/storage";
/** What Podman leaves behind. */
const LEFT_BEHIND = ["/var/lib/containers", STORAGE, "/run/containers", "/run/libpod"];
/** It lists those that were not there before. */
const MARK = "/var/lib/containers/.extrospect-test";

/** Podman has its storage mounted on itself. */
const unmountStorage = () => spawnSync("umount", [join(STORAGE, "overlay")]);

/** @param {string[]} folders */
function removeAll(folders) {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** @param {import("../undone.mjs").Undo} undo */
function removedAgain(undo) {
  const folders = LEFT_BEHIND.filter((folder) => !existsSync(folder));
  undo(() => removeAll([...folders.toReversed(), MARK]));
  undo(unmountStorage);
  mkdirSync(dirname(MARK), { recursive: true });
  writeFileSync(MARK, JSON.stringify(folders));
}

/** What a run of this test has left that was killed. */
function removeLeft() {
  if (!existsSync(MARK)) return;
  const [program = "", ...args] = PODMAN;
  spawnSync(program, [...args, "rm", "--all", "--force", "--time", "0"], { cwd: "/" });
  unmountStorage();
  removeAll([...JSON.parse(readFileSync(MARK, "utf8")).toReversed(), MARK]);
}

test("a VM in a container of Podman", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("the container is root's");
  if (!hasPodman()) return t.skip("podman, runc and uidmap are not installed");
  // First: another run that has the lock has these folders, too.
  await machineLock(t, "containers");
  removeLeft();
  if (existsSync(STORAGE)) return t.skip("somebody else's containers are on this machine");
  const undo = undoneAfter(t);
  const folder = openFolder("pod");
  undo(() => rmSync(folder, { recursive: true, force: true }));
  removedAgain(undo);
  // Groups of others there would not be empty.
  const parents = [GROUPS ?? "", ...readdirSync("/sys/fs/cgroup").map((name) => join("/sys/fs/cgroup", name))];
  const groups = parents.flatMap((parent) => [join(parent, "libpod_parent/conmon"), join(parent, "libpod_parent")]);
  undo(() => spawnSync("rmdir", groups));
  const vm = await runInPodman(t, { folder, wrapper: [], undo });
  if (vm !== undefined) assert.ok((await ownFrames(t, vm.pid)).some(({ name }) => name === "gt_erlang:half/2"));
});

test("a VM in a container without root: its user sees name and image, and so does root", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("root makes a user for it");
  if (!hasPodman()) return t.skip("podman, runc and uidmap are not installed");
  const undo = undoneAfter(t);
  const folder = openFolder("pod");
  undo(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const [name, home, runtime] = [`extrospect-pod-${process.pid}`, join(folder, "home"), join(folder, "run")];
  const account = ["--no-create-home", "--home-dir", home, "--user-group", "--shell", "/bin/sh"];
  await addAccount({ after: undo }, name, account);
  await machineLock(t, "containers");
  for (const own of [home, runtime]) {
    mkdirSync(own, { mode: 0o700 });
    execFileSync("chown", [`${name}:`, own]);
  }
  const wrapper = [
    "setpriv",
    "--reuid",
    name,
    "--regid",
    name,
    "--init-groups",
    "--",
    "env",
    `HOME=${home}`,
    `XDG_RUNTIME_DIR=${runtime}`,
  ];
  // It keeps the user's namespaces open.
  const pause = join(runtime, "libpod/tmp/pause.pid");
  undo(() => existsSync(pause) && process.kill(Number(readFileSync(pause, "utf8"))));
  const vm = await runInPodman(t, { folder, wrapper, undo });
  if (vm === undefined) return;
  const program = join(folder, "extrospect");
  copyFileSync(HELPER, program);
  const rows = await helperJson(["list"], { program, wrapper });
  vm.check(rows.find((/** @type {any} */ row) => row.pid === vm.pid));
  // The list of containers is that user's alone; the arguments of the monitor are for everybody.
  const stranger = await helperJson(["list"], {
    program,
    wrapper: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
  });
  const { image, ...others } = (await rowOf(vm.pid)).containerFacts;
  assert.equal(image, IMAGE_HERE);
  assert.deepEqual(stranger.find((/** @type {any} */ row) => row.pid === vm.pid).containerFacts, others);
});
