// waits: the stacks of waiting processes, compared with the VM's own report of each.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { helperJson, temporaryFolder } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertStacks } from "./wait-stacks.mjs";

/** Of each of ten kinds. */
const EACH = 40;
const SHORT = ["-d", "1"];

/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release @param {string[]} [more] */
async function started(t, release, more = []) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH, ...more] });
  t.after(() => vm.kill());
  return { vm, file: join(temporaryFolder(t), "waits.pb.gz") };
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: processes wait where the VM reports them`, async (t) => {
    const { vm, file } = await started(t, release);
    const waits = await helperJson(["waits", vm.pid, ...SHORT, "-o", file]);
    const said = (await vm.report()).processes.filter((/** @type {any} */ one) => one.known);
    assertStacks(waits, said, file, EACH);
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
  for (const { stack } of of("gt_inside:")) assert.doesNotMatch(stack.join(" < "), /\[(?:unknown|code reloaded)/);
  assert.equal(waits.unproven, 0, "what rests and is no stack");
});
