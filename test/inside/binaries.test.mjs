// binaries: their holders and allocators, and those that small parts keep alive, in a VM that is stopped, compared with
// the VM's own report before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, forgetting, helperJson, runHelper } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { oneOf, whileStopped } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertBinaries, assertShown } from "./told-binaries.mjs";

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: holders, keepers and allocating processes of binaries are those that the VM reports`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_binaries" });
    t.after(() => vm.kill());
    const ways = release === "27" ? [{}, await forgetting("symbols")] : [{}];
    for (const options of ways) {
      await oneOf(t, async () => {
        const said = await vm.report();
        assert.ok(said.ended);
        const shown = await whileStopped(vm.pid, () => helperJson(["binaries", vm.pid], options));
        assertBinaries(shown, said, release);
      });
    }
    await assertShown(vm.pid, release);
  });
}

test("what is no VM is refused", async () => {
  assertRefused(await runHelper(["binaries", process.pid]), (await runHelper(["nodes", process.pid])).code ?? 0);
});
