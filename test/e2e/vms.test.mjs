// The VMs the other tests measure against: what they claim about themselves must be true.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl, sharesBetween } from "../vms/vm.mjs";
import { sleep } from "./helper.mjs";

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: time shares are as designed`, async (t) => {
    const otp = await prepareOtp(release);
    /** @type {string[]} */
    const seen = [];
    // The VM finds its counts by the clock on the wall: whoever took the CPU from it just then spoils that run, not the design.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const vm = await runErl({ otp, module: "gt_erlang" });
      t.after(() => vm.kill());
      assert.equal(readFileSync(`/proc/${vm.pid}/comm`, "utf8").trim(), "beam.smp");
      const before = await vm.report();
      await sleep(2_000);
      const shares = sharesBetween(before, await vm.stop());
      assert.equal(existsSync(`/proc/${vm.pid}`), false, "stop() leaves nothing behind");
      const figures = Object.entries({ half: 50, three_tenths: 30, two_tenths: 20 }).map(([name, designed]) => ({ name, designed, share: shares.get(`gt_erlang:${name}/1`) ?? 0 }));
      seen.push(figures.map(({ name, share }) => `${name} ${share.toFixed(1)}`).join(", "));
      if (figures.every(({ share, designed }) => Math.abs(share - designed) < 8)) return;
    }
    assert.fail(seen.join("; "));
  });
}
