// waits: the stacks of waiting processes, compared with the VM's own report of each.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, HELPER, helperJson, runHelper, samplersOf, temporaryFolder } from "../e2e/helper.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** Of each of ten kinds. One of them calls itself as often as its number. */
const EACH = 40;
const SHORT = ["-d", "1"];

/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release @param {string[]} [more] */
async function started(t, release, more = []) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH, ...more] });
  t.after(() => vm.kill());
  return { vm, file: join(temporaryFolder(t), "waits.pb.gz") };
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: processes wait where the VM says they do`, async (t) => {
    const { vm, file } = await started(t, release);
    const waits = await helperJson(["waits", vm.pid, ...SHORT, "-o", file]);
    const said = (await vm.report()).processes.filter((/** @type {any} */ one) => one.known);
    assert.equal(waits.unproven, 0);
    assert.equal(waits.processes, waits.waiting + waits.restless);
    // Of a function that calls itself the VM reports one frame.
    const text = (/** @type {string[]} */ stack) =>
      stack.filter((name, index) => name !== stack[index - 1]).join(" < ");
    /** @type {Map<string, number>} */
    const seen = new Map();
    for (const { stack, processes } of waits.waits) seen.set(text(stack), (seen.get(text(stack)) ?? 0) + processes);
    const depths = waits.waits
      .filter((/** @type {any} */ { stack }) => stack.includes("gt_inside:deep/1"))
      .map((/** @type {any} */ { stack }) => stack.length);
    assert.deepEqual(
      depths.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b).slice(-EACH),
      Array.from({ length: EACH }, (_, index) => index + 2),
      "each as deep as it called itself",
    );
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const one of said) {
      // One that hibernates has no stack.
      const stack = one.stack.length === 0 ? one.current : text(one.stack);
      counts.set(stack, (counts.get(stack) ?? 0) + 1);
    }
    let compared = 0;
    for (const [stack, length] of counts) {
      const waiting = seen.get(stack) ?? 0;
      // Processes of the VM's own wait in the loop of a server, too.
      if (stack.includes("gt_inside")) assert.equal(waiting, length, stack);
      else assert.ok(waiting >= length, `${waiting} of ${length} processes in ${stack}`);
      compared += length;
    }
    assert.equal(compared, 10 * EACH);
    const all = waits.waits.reduce((/** @type {number} */ sum, /** @type {any} */ group) => sum + group.seconds, 0);
    const profile = readProfile(file);
    assert.deepEqual(profile.sampleTypes, ["waiting"]);
    const inFile = profile.samples.reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
    // A look that is some part of a millisecond later counts the whole ones.
    assert.ok(
      inFile <= all * 1000 && inFile >= all * 1000 - waits.looks * waits.processes,
      `${inFile} ms in the file, ${all} s told`,
    );
    const labels = profile.samples.map(({ labels }) => labels["process"]);
    assert.ok(labels.includes("gt_inside:init/1"));
  });
}

test("OTP 29: beside a storm of processes stacks are those that its code has", async (t) => {
  const { vm } = await started(t, "29", ["storm"]);
  const waits = await helperJson(["waits", vm.pid, ...SHORT]);
  const of = (/** @type {string} */ name) =>
    waits.waits.filter((/** @type {any} */ group) =>
      group.stack.some((/** @type {string} */ frame) => frame.startsWith(name)),
    );
  const resting = of("gt_inside:wait/0").reduce(
    (/** @type {number} */ sum, /** @type {any} */ group) => sum + group.processes,
    0,
  );
  assert.ok(resting >= 7 * EACH, `${resting} wait`);
  for (const { stack } of of("gt_inside:")) assert.ok(!stack.includes("[unknown code]"), stack.join(" < "));
  assert.equal(waits.unproven, 0, "what rests and is no stack");
});

test("a VM that ends: exit code 5, and what was seen is kept", async (t) => {
  const { vm, file } = await started(t, "27");
  const child = spawn(HELPER, ["waits", `${vm.pid}`, "-d", "600", "-o", file], { stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => child.kill());
  const ended = new Promise((resolve) => child.once("close", resolve));
  let told = "";
  child.stderr.on("data", (chunk) => (told += chunk));
  // It has sent a few answers by then: that it has attached, and its first looks.
  const written = new Set();
  await until("some looks", () => {
    const [sampler] = samplersOf(child.pid ?? 0);
    if (sampler) written.add(/wchar: (\d+)/.exec(readFileSync(`/proc/${sampler}/io`, "utf8"))?.[1]);
    return written.size > 5;
  });
  await vm.kill();
  assert.equal(await ended, 5, told);
  assert.ok(readProfile(file).samples.length > 0);
});

test("a file that is there is left alone, and one that cannot be written is told before the watch", async (t) => {
  const { vm, file } = await started(t, "27");
  assert.equal((await runHelper(["waits", vm.pid, ...SHORT, "-o", file])).code, 0);
  const before = readFileSync(file);
  assertRefused(await runHelper(["waits", vm.pid, "-d", "600", "-o", file]), 1);
  assert.deepEqual(readFileSync(file), before);
  assertRefused(await runHelper(["waits", vm.pid, "-d", "600", "-o", "/nowhere/waits.pb.gz"]), 1);
  const compared = await runHelper(["diff", file, "--", file]);
  assert.match(compared.stderr, /contains how long processes waited, but no processor time to compare/);
  assert.notEqual(compared.code, 0);
  assertRefused(await runHelper(["waits", process.pid, ...SHORT]), 3);
});
