// node: a VM as a whole, held against what it says of itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** Atoms and ports that a VM may gain while it is looked at. */
const GAINED = 50;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: how full its tables are, and who has nothing to do`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [10], emulatorFlags: ["+P", "5000"] });
    t.after(() => vm.kill());
    const { counts } = await vm.report();
    const node = await helperJson(["node", vm.pid]);
    assert.deepEqual(node.processes, { count: counts.processes, limit: counts.process_limit });
    assert.equal(node.ports.limit, counts.port_limit);
    assert.equal(node.atoms.limit, counts.atom_limit);
    for (const table of ["ports", "atoms"]) assertNear(node[table].count, counts[table]);
    assert.equal(node.run_queue, 0);
    const busy = node.schedulers.filter((/** @type {any} */ one) => one.busy_pct > 50);
    assert.deepEqual(busy, [], "nobody works");
    assert.ok(node.uptime_s < 3600);
  });
}

test("a scheduler that always has something to run is busy, those beside it are not", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_queue", args: [1], emulatorFlags: ["+S", "2:1"] });
  t.after(() => vm.kill());
  const { schedulers } = await helperJson(["node", vm.pid]);
  const normal = schedulers.filter((/** @type {any} */ one) => one.kind === "normal");
  assert.deepEqual(
    normal.map((/** @type {any} */ one) => one.number),
    [1, 2],
  );
  const shares = normal.map((/** @type {any} */ one) => one.busy_pct).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  assert.ok(shares[1] > 80 && shares[0] < 20, `${shares} % busy`);
});

test("what is no VM is refused by all that look inside", async () => {
  for (const command of ["node", "ps"]) assertRefused(await runHelper([command, process.pid]), 3);
});

/** @param {number} shown @param {number} said */
function assertNear(shown, said) {
  assert.ok(Math.abs(shown - said) <= GAINED, `${shown}, the VM says ${said}`);
}
