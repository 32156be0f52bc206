// The VMs the other tests measure against: what they claim about themselves must be true.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl, sharesBetween } from "../vms/vm.mjs";
import { sleep } from "./helper.mjs";

const BIF_SOURCE = readFileSync(new URL("../vms/src/gt_bif.erl", import.meta.url), "utf8").split("\n");

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

  test(`OTP ${release}: each legal site names the line of its call`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_bif", args: ["exact"] });
    t.after(() => vm.kill());
    await sleep(500);
    const { legal, rounds } = await vm.stop();
    assert.ok(rounds > 5, `${rounds} rounds`);
    assert.equal(legal.length, 14);
    assert.equal(new Set(legal.map((/** @type {any} */ site) => site.bif)).size, legal.length, "one caller for each");
    for (const { bif, line } of legal) {
      const call = bif === "erlang:!/2" ? "gt_bif_receiver ! Term" : `${bif.slice(0, bif.lastIndexOf("/"))}(`;
      assert.ok(BIF_SOURCE[line - 1]?.includes(call), `line ${line} calls ${bif}: ${BIF_SOURCE[line - 1]}`);
    }
  });
}
