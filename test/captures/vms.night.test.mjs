// The VMs that the other tests measure against: their claims about themselves must be true.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl, sharesBetween } from "../vms/vm.mjs";

const DESIGNED = { half: 50, three_tenths: 30, two_tenths: 20 };
/** Percentage points. */
const ALLOWED = 8;

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: time goes to the functions as designed`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_erlang" });
    t.after(() => vm.kill());
    assert.equal(readFileSync(`/proc/${vm.pid}/comm`, "utf8").trim(), "beam.smp");
    const before = await vm.report();
    const names = Object.keys(DESIGNED).map((name) => `gt_erlang:${name}/1`);
    await until("each function has run a while", async () => {
      const { total_ns: now } = await vm.report();
      return names.every((name) => now[name] - before.total_ns[name] > 2e8);
    });
    const shares = sharesBetween(before, await vm.stop());
    assert.equal(existsSync(`/proc/${vm.pid}`), false, "stop() leaves nothing behind");
    assert.deepEqual([...shares.keys()].sort(), names.toSorted());
    assert.ok(Math.abs([...shares.values()].reduce((sum, share) => sum + share, 0) - 100) < 1e-6);
    // It measures by the wall clock: a process that takes the CPU from it at that time moves its counts.
    const worst = Math.max(
      ...Object.entries(DESIGNED).map(([name, share]) => Math.abs((shares.get(`gt_erlang:${name}/1`) ?? 0) - share)),
    );
    measured(
      t,
      "shares beside the VM's own clock, largest error",
      (100 * worst) / ALLOWED,
      `OTP ${release}, designed shares`,
    );
  });
}
