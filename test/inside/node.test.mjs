// node: a VM as a whole, compared with its own report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { oneOf } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCounted, assertMemory, assertPorts, assertTables } from "./told-node.mjs";

/** A look at a VM that does nothing is one of so many. */
const LOOKS = 6;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: how full its tables are, what it has counted, and its memory`, async (t) => {
    // The VM's report of many processes would be collected on a dirty scheduler, which is not counted.
    const start = async (/** @type {string[]} */ ...emulatorFlags) => {
      const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [10], emulatorFlags });
      t.after(() => vm.kill());
      return vm;
    };
    const small = await start("+P", "5000");
    await oneOf(t, LOOKS, () => assertTables(small));
    const usual = await start();
    await assertCounted(usual);
    await oneOf(t, LOOKS, () => assertMemory(usual));
  });
}

test("OTP 29: ports that have something to write", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_ports", args: [3] });
  t.after(() => vm.kill());
  await assertPorts(vm);
});

test("a scheduler that always has something to run is busy, those beside it are not", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_queue", args: [1], emulatorFlags: ["+S", "2:1"] });
  t.after(() => vm.kill());
  // A look at a machine that is busy with other things may find it between two processes.
  await until("one of them is busier", async () => {
    const { schedulers } = await helperJson(["node", vm.pid]);
    const normal = schedulers.filter((/** @type {any} */ one) => one.kind === "normal");
    assert.deepEqual(
      normal.map((/** @type {any} */ one) => one.number),
      [1, 2],
    );
    return normal[0].busy_pct > normal[1].busy_pct;
  });
});

test("what is no VM is refused by all that look inside", async () => {
  for (const command of ["node", "ps"]) assertRefused(await runHelper([command, process.pid]), 3);
});
