// A failure to sample something ends nothing: it is counted and reported, and the rest goes on.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../until.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { runHelper, samplersOf, temporaryFolder } from "./helper.mjs";

/** Too few for a VM with 200 threads: each of them takes one for each CPU, and so do some things of our own. */
const DESCRIPTORS = 60 + 45 * availableParallelism();
const MANY_THREADS = ["+SDio", "200"];

/** @param {import("node:test").TestContext} t */
async function vmWithManyThreads(t) {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_erlang", emulatorFlags: MANY_THREADS });
  t.after(() => vm.kill());
  assert.ok(readdirSync(`/proc/${vm.pid}/task`).length > 200);
  return vm;
}

for (const engine of ["bpf", "readv"]) {
  test(`${engine}: more threads than files may be open: those that fit are sampled, schedulers first`, async (t) => {
    const vm = await vmWithManyThreads(t);
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const run = await runHelper(["record", vm.pid, "-d", 3, "-F", 499, "-o", file, "--engine", engine], {
      wrapper: ["prlimit", `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`],
    });
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /quality:.*; \d+ threads? not sampled \(.*too many open files.*\)/);
    const top = await runHelper(["top", file, "-n", 0, "--json"]);
    const { quality, functions } = JSON.parse(top.stdout);
    assert.ok(quality.gaps.threads > 100, JSON.stringify(quality.gaps));
    assert.match(quality.gaps.threads_reason, /too many open files/);
    assert.deepEqual(quality.gaps.cpus, []);
    assert.equal(quality.gaps.failed_looks, 0, "looking at the target still works");
    assert.ok(
      functions.some((/** @type {any} */ row) => row.function.startsWith("gt_erlang:")),
      "the schedulers are sampled",
    );
    assert.ok(readProfile(file).samples.length > 100);
  });
}

test("a limit that is lowered during the capture ends nothing: looks at the target fail, and are counted", async (t) => {
  const vm = await vmWithManyThreads(t);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  let asked = 0;
  const running = runHelper(["record", vm.pid, "-d", 0, "-F", 499, "-o", file], {
    onStart: (child) => void (asked = Number(child.pid)),
  });
  const sampler = await until("the process that samples", () => samplersOf(asked)[0]);
  await until(
    "every thread is sampled",
    () => readdirSync(`/proc/${sampler}/fd`).length > 200 * availableParallelism(),
  );
  // The soft limit alone: the hard one may not be raised again.
  execFileSync("prlimit", ["--pid", String(sampler), "--nofile=8:"]);
  for (let increment = 0; increment < 2; increment += 1) {
    const before = statSync(file).size;
    await until("the capture goes on", () => statSync(file).size > before);
  }
  execFileSync("prlimit", ["--pid", String(sampler), "--nofile=4096:"]);
  process.kill(asked, "SIGINT");
  const run = await running;
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /; threads could not be listed \d+ times?/);
  assert.ok(readProfile(file).samples.length > 100);
});
