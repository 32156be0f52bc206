// heap: one process of each kind on each release, compared with the remains of the VM's own full collection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, runHelper } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertHeaps } from "./told-heaps.mjs";

/** The processes of a kind: the last one has the largest heap. */
const OF_A_KIND = 5;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: what lives is what a full collection leaves, to the word`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_heaps" });
    t.after(() => vm.kill());
    await assertHeaps(vm, (_pid, index) => index % OF_A_KIND === OF_A_KIND - 1);
    if (release !== "25") return;
    for (const pid of ["0.99999.7", "No.Such.Name"]) {
      const run = await runHelper(["heap", vm.pid, pid]);
      assertRefused(run, 1);
      assert.match(run.stderr, /has no Erlang process .*extrospect ps/);
    }
    const run = await runHelper(["heap", vm.pid, "83"]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /expected a pid/);
  });
}
