// binaries: their holders and allocators, and those that small parts keep alive, compared with the VM's own report.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { forgetting, helperJson, runHelper } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertBinaries, assertShown } from "./told-binaries.mjs";

describe("all releases at once", { concurrency: true }, () => {
  for (const release of ALL_OTP_RELEASES) {
    test(`OTP ${release}: holders, keepers and allocating processes of binaries are those that the VM reports`, async (t) => {
      const vm = await runErl({ otp: await prepareOtp(release), module: "gt_binaries" });
      t.after(() => vm.kill());
      // Without symbols nothing is known of OTP 23.
      for (const options of release === "23" ? [{}] : [{}, await forgetting("symbols")]) {
        // Work of another process may fall into a look.
        await until("a look at a VM at rest", async () => {
          const said = await vm.report();
          assert.ok(said.ended);
          const shown = await helperJson(["binaries", vm.pid], options);
          assertBinaries(shown, said, release);
          return true;
        });
      }
      await assertShown(vm.pid, release);
    });
  }

  test("a VM that does not record allocating processes is shown as such", async (t) => {
    const vm = await runErl({
      otp: await prepareOtp("27"),
      module: "gt_binaries",
      emulatorFlags: ["+MBatags", "false", "+MRatags", "false"],
    });
    t.after(() => vm.kill());
    const { allocated, held } = await helperJson(["binaries", vm.pid]);
    assert.equal(allocated.tags, "none");
    assert.ok(allocated.by.every((/** @type {any} */ row) => row.by === "unknown"));
    assert.ok(held.binaries > 259);
  });
});

test("where the allocator of binaries is disabled, their owners are shown as not recorded", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_idle", emulatorFlags: ["+MBe", "false"] });
  t.after(() => vm.kill());
  const { allocated } = await helperJson(["binaries", vm.pid]);
  assert.deepEqual(allocated.not_managed, ["binary_alloc"]);
  const { stdout } = await runHelper(["binaries", vm.pid]);
  assert.match(stdout, /^binary_alloc \(disabled, so that malloc has the memory\)/m);
  assert.doesNotMatch(stdout, /MBatags/);
});
