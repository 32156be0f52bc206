// States of a VM, or of the machine, in which a part of the truth cannot be known; each is brought about for real.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeLeftGroups } from "../left-groups.mjs";
import { smallDisk } from "../small-disks.mjs";
import { until } from "../until.mjs";
import { letGo } from "../vms/held.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { holdWhole } from "../vms/stopped.mjs";
import { NOW_AND_THEN, runErl, wordsOf } from "../vms/vm.mjs";

/**
 * @typedef {object} Scene
 * @property {number} pid   of the VM
 * @property {string[]} start   the words of a command that starts such a VM, which ends after some seconds
 * @property {string[]} [wrapper]   of the helper's command, and of the editor's helper
 * @property {string[]} [output]   of the helper's command: where its output goes
 * @property {() => void} [interrupt]   what happens to it while a command runs that takes time, and before one that does not
 * @property {() => void | Promise<void>} end
 */
/**
 * @typedef {object} State
 * @property {string} name   `stopped`
 * @property {string} title   as the page has it
 * @property {(folder: string) => Promise<Scene | undefined>} begin   with a folder for captures; undefined where this machine cannot have it
 */

const NOBODY = 65_534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--inh-caps=-all"];
const RELEASE = "27";
/** Of the file system of a full disk: the first words of a capture fit, the rest does not. */
const SMALL = "size=4k";

/** @type {readonly State[]} */
export const STATES = [
  { name: "another user's", title: "The VM is another user's, and the helper has no rights", begin: () => asNobody(0) },
  { name: "no rights", title: "The VM is the user's own, and the helper has no rights", begin: () => asNobody(NOBODY) },
  {
    name: "traced",
    title: "Calls are traced (`dbg`, `recon_trace`, `eprof`)",
    begin: () => vmOf("gt_traced", ["together"]),
  },
  {
    name: "processes traced",
    title: "Messages of processes are traced, and no calls (`dbg:p` without `dbg:tp`)",
    begin: () => vmOf("gt_traced", ["processes"]),
  },
  { name: "throttled", title: "A quota of the control group throttles the VM", begin: () => inGroup(THROTTLED) },
  { name: "stopped", title: "A signal has stopped the VM", begin: stopped },
  { name: "frozen", title: "The control group of the VM is frozen", begin: () => inGroup(FROZEN) },
  {
    name: "half offline",
    title: "Half of the schedulers are offline, one of the others is blocked",
    begin: () => vmOf("gt_schedulers", [2], ["+S", "4:2"]),
  },
  { name: "exiting", title: "Processes take long to end", begin: () => vmOf("gt_lives", ["leaving"]) },
  { name: "loading", title: "Code is loaded all the time", begin: () => vmOf("gt_reload", []) },
  { name: "ends", title: "The VM ends", begin: ending },
  { name: "disk full", title: "The disk is full", begin: fullDisk },
];

/**
 * @param {string} module @param {(string | number)[]} args @param {string[]} [emulatorFlags]
 * @param {string[]} [around]   what the shell does when it starts another one, see {@link startOf}
 * @returns {Promise<Scene>}
 */
async function vmOf(module, args, emulatorFlags = [], around = FOR_SOME_SECONDS) {
  const wanted = { otp: await prepareOtp(RELEASE), module, args, emulatorFlags };
  const vm = await runErl(wanted);
  return { pid: vm.pid, start: await startOf(wanted, around), end: () => endOf(vm) };
}

/** A VM as {@link wordsOf} starts it, that ends after some seconds; its output is not wanted. */
const RUN = '(sleep 7; echo stop) | "$@" > /dev/null';
const FOR_SOME_SECONDS = [RUN, ""];

/** The VM is halted for a part of its life. @param {string} halt @param {string} goOn @param {string} [word] */
const haltedMeanwhile = (halt, goOn, word = "") => [
  `${RUN} & VM=$!; sleep 3; ${halt}; sleep 2; ${goOn}; wait $VM`,
  word,
];

/**
 * @param {Parameters<typeof wordsOf>[0]} wanted
 * @param {string[]} around   words of a shell, and its `$0`
 */
const startOf = async (wanted, around = FOR_SOME_SECONDS) => ["sh", "-c", ...around, ...(await wordsOf(wanted))];

/** @param {number} owner @returns {Promise<Scene>} */
async function asNobody(owner) {
  // Debian's own, since the others run in a mount namespace, which takes rights to make.
  const wanted = { otp: await prepareOtp("25"), ...NOW_AND_THEN };
  const vm = await runErl({ ...wanted, ...(owner !== 0 && { uid: owner }) });
  return { pid: vm.pid, start: await startOf(wanted), wrapper: AS_NOBODY, end: () => endOf(vm) };
}

/** @returns {Promise<Scene>} */
async function stopped() {
  const scene = await vmOf("gt_inside", [2], [], haltedMeanwhile("kill -STOP $VM", "kill -CONT $VM"));
  await holdWhole(scene.pid);
  return {
    ...scene,
    end: async () => {
      letGo(scene.pid);
      await scene.end();
    },
  };
}

/** Trees of control groups, of version 1, which a machine with version 2 lacks. */
const THROTTLED = {
  tree: "/sys/fs/cgroup/cpu",
  settings: { "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "30000" },
  then: {},
  /** @param {string} group */
  around: (group) => [`echo $$ > "$0/cgroup.procs"; ${RUN}`, group],
};
const FROZEN = {
  tree: "/sys/fs/cgroup/freezer",
  settings: { "freezer.state": "FROZEN" },
  then: { "freezer.state": "THAWED" },
  /** @param {string} group */
  around: (group) => haltedMeanwhile('echo $VM > "$0/cgroup.procs"', 'echo $VM > "$0/../cgroup.procs"', group),
};

/** @param {typeof THROTTLED | typeof FROZEN} kind @returns {Promise<Scene | undefined>} */
async function inGroup({ tree, settings, then, around }) {
  if (!existsSync(join(tree, "cgroup.procs"))) return undefined;
  removeLeftGroups(tree);
  const group = join(tree, `extrospect unknowns ${process.pid}`);
  mkdirSync(group);
  const scene = await vmOf("gt_erlang", [], [], around(group));
  writeFileSync(join(group, "cgroup.procs"), String(scene.pid));
  for (const [file, value] of Object.entries(settings)) writeFileSync(join(group, file), value);
  return {
    ...scene,
    end: async () => {
      for (const [file, value] of Object.entries(then)) writeFileSync(join(group, file), value);
      await scene.end();
      await until("the group is empty", () => {
        try {
          rmdirSync(group);
          return true;
        } catch {
          return false;
        }
      });
    },
  };
}

/** @returns {Promise<Scene>} */
async function ending() {
  const scene = await vmOf("gt_erlang", []);
  return { ...scene, interrupt: () => void spawnSync("kill", ["-KILL", String(scene.pid)]) };
}

/** @param {string} folder @returns {Promise<Scene>} */
async function fullDisk(folder) {
  const scene = await vmOf("gt_erlang", []);
  const unmount = smallDisk(folder, SMALL);
  return {
    ...scene,
    output: ["sh", "-c", '"$@" > /dev/full', "sh"],
    end: async () => {
      unmount();
      await scene.end();
    },
  };
}

/** @param {import("../vms/vm.mjs").RunningVm} vm */
async function endOf(vm) {
  vm.kill();
  await vm.ended;
}
