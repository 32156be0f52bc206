// node: ports and schedulers of a VM that runs, compared with its own report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { helperJson } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertPorts } from "./reported-node.mjs";

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: ports that have something to write`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_ports", args: [3] });
    t.after(() => vm.kill());
    await assertPorts(vm);
  });
}

test("a scheduler that always has something to run is busy, those beside it are not", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_queue", args: [1], emulatorFlags: ["+S", "2:1"] });
  t.after(() => vm.kill());
  // A look at a machine that is busy with other things may find the scheduler between two processes more often.
  await until("one of them is busy", async () => {
    const { schedulers } = await helperJson(["node", vm.pid]);
    const normal = schedulers.filter((/** @type {any} */ one) => one.kind === "normal");
    assert.deepEqual(
      normal.map((/** @type {any} */ one) => one.number),
      [1, 2],
    );
    const shares = normal
      .map((/** @type {any} */ one) => one.busy_pct)
      .sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
    assert.ok(shares[1] > 80 && shares[0] < 20, `${shares} % busy`);
    return true;
  });
});
