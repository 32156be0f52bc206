// Records the captures of fixtures/ anew, whose verdicts the gate compares to the letter: `node test/captures/record-fixtures.mjs`
// as root, with the helper built, on a machine that does little else. Then `node test/captures/renew-expected.mjs`. Names of
// parts record these alone; `--to FOLDER` records into another folder, which the night looks at: fixtures.night.test.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { recordWork } from "../e2e/enough.mjs";
import { makeCompareProject, runCompareProject } from "../vms/compare.mjs";
import { IDLE_SLEEPS } from "../vms/idle-sleeps.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runOwnProject } from "../vms/own.mjs";
import { runErl } from "../vms/vm.mjs";
import { FIXTURES } from "./fixtures.mjs";

/** No name of a machine gets into a capture, nor the commit of this repository. */
const WRAPPER = ["env", "-C", "/", "unshare", "--uts", "sh", "-c", 'hostname machine && exec "$@"', "sh"];

const { values, positionals: chosen } = parseArgs({ options: { to: { type: "string" } }, allowPositionals: true });
const CAPTURES = resolve(values.to ?? FIXTURES);
/** Where the programs are. It is in the captures: committed ones have no process id; others do not disturb each other. */
const PROGRAMS = values.to === undefined ? "/var/tmp/extrospect-fixtures" : openPath("fixtures");

/** @param {{pid: number}} vm @param {number} seconds of its processor time @param {string} name @param {(string | number)[]} [more] */
async function recorded(vm, seconds, name, more = []) {
  const file = join(CAPTURES, `${name}.pb.gz`);
  rmSync(file, { force: true });
  await recordWork(vm.pid, seconds, ["-F", 1_999, "-o", file, ...more], WRAPPER);
  process.stdout.write(`${name}\n`);
}

/** Three runs of each of two commits, each in a VM of its own, as docs/compare.md advises. */
async function compared() {
  const otp = await prepareOtp("27");
  const inside = `${PROGRAMS}/compare`;
  const folder = otp.hostPath(inside);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, ".."), { recursive: true });
  await makeCompareProject(folder);
  for (const commit of ["before", "after"])
    for (let number = 1; number <= 3; number++) {
      const vm = await runCompareProject(folder, commit, otp, inside);
      await recorded(vm, 5, `${commit}-${number}`, ["--source-dir", folder]);
      await vm.stop();
    }
  rmSync(otp.hostPath(PROGRAMS), { recursive: true });
}

/** Orders that are counted, before and after each of them takes less. */
async function counted() {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_work", emulatorFlags: IDLE_SLEEPS });
  const address = `http://127.0.0.1:${(await vm.report()).port}`;
  const counter = ["--work-name", "orders", "--work-command", `curl -s ${address}/count`];
  for (const number of [1, 2]) await recorded(vm, 2, `orders-${number}`, counter);
  assert.equal((await fetch(`${address}/faster`)).status, 200);
  for (const number of [1, 2]) await recorded(vm, 2, `faster-orders-${number}`, counter);
  await recorded(vm, 1, "orders-not-counted");
  await vm.stop();
}

/** Uses the memory without end: each number that it reads is in no cache. */
const MEMORY_USER = `
const numbers = new Uint32Array(64 << 20).map((_, at) => Math.imul(at, 2654435761));
process.stdout.write("ready");
for (let at = 0, sum = 0; ; at = (Math.imul(at, 1664525) + 1013904223) >>> 0) sum += numbers[at % numbers.length];
`;

/** One program, on a quiet machine and beside others that use its memory: all of its functions take more alike. */
async function alike() {
  const otp = await prepareOtp("27");
  for (const name of ["alike", "alike-slowed"]) {
    const users = Array.from({ length: name === "alike" ? 0 : availableParallelism() }, () =>
      spawn(process.execPath, ["-e", MEMORY_USER], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    try {
      await Promise.all(users.map(({ stdout }) => once(stdout, "data")));
      for (let number = 1; number <= 3; number++) {
        const vm = await runErl({ otp, module: "gt_alike", emulatorFlags: ["+S", "1:1", ...IDLE_SLEEPS] });
        const counter = ["--work-command", `curl -s http://127.0.0.1:${(await vm.report()).port}/count`];
        await recorded(vm, 4, `${name}-${number}`, ["--work-name", "rounds", ...counter]);
        await vm.stop();
      }
    } finally {
      for (const user of users) user.kill("SIGKILL");
    }
  }
}

async function own() {
  const otp = await prepareOtp("25");
  const { vm } = await runOwnProject(otp, `${PROGRAMS}/own`);
  await recorded(vm, 4, "own");
  await vm.stop();
  rmSync(otp.hostPath(PROGRAMS), { recursive: true });
}

/** Programs whose collections, copies and names are known. */
async function asked() {
  for (const [release, module, name] of /** @type {const} */ ([
    ["29", "gt_msg", "messages"],
    ["27", "gt_gc", "collections"],
    ["29", "elixir_hot.exs", "elixir"],
  ])) {
    const vm = await runErl({ otp: await prepareOtp(release), module });
    await recorded(vm, 2, name);
    await vm.stop();
  }
}

mkdirSync(CAPTURES, { recursive: true });
const ALL = { compared, counted, alike, own, asked };
for (const [name, record] of Object.entries(ALL)) if (chosen.length === 0 || chosen.includes(name)) await record();
