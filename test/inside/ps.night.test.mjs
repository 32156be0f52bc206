// ps: processes of a VM that runs, compared with the VM's own report, also beside a storm.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetting, helperJson } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { asPs, assertProcesses, assertSame, NAMES, NUMBERS } from "./told-processes.mjs";

/** Looks at a VM in which processes come and go. */
const LOOKS = 10;
/** Of each of ten kinds. */
const EACH = 100;
/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release */
async function startVm(t, release) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH] });
  t.after(() => vm.kill());
  return vm;
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: the values read of a process are the VM's own`, async (t) => {
    const vm = await startVm(t, release);
    await assertProcesses(release, vm, EACH, () => helperJson(["ps", vm.pid]));
  });
}

for (const release of releasesOf(ALL_OTP_RELEASES, "27")) {
  test(`OTP ${release}: beside a storm of processes no entry of one that rests is wrong, missing or doubled`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH, "storm"] });
    t.after(() => vm.kill());
    const known = (await vm.report()).processes.filter((/** @type {any} */ one) => one.known).map(asPs);
    assert.equal(known.length, 10 * EACH);
    let others = 0;
    for (let look = 0; look < LOOKS; look++) {
      const { processes } = await helperJson(["ps", vm.pid]);
      const shown = new Map(processes.map((/** @type {any} */ process) => [process.pid, process]));
      assert.equal(shown.size, processes.length, "no pid twice");
      for (const one of known) assertSame(shown.get(one.pid) ?? {}, one, [...NAMES, ...NUMBERS]);
      others += processes.length - known.length;
    }
    assert.ok(others > LOOKS, "others come and go");
  });
}

test("OTP 29 and 25 with symbols and layouts forgotten: the same", async (t) => {
  const options = await forgetting("symbols,layouts");
  for (const release of /** @type {const} */ (["25", "29"])) {
    const vm = await startVm(t, release);
    await assertProcesses(release, vm, EACH, () => helperJson(["ps", vm.pid], options));
  }
});
