// memory: allocators, their free memory, ETS tables and loaded code, read from outside and compared with the VM's own
// report.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { forgetting, helperJson, sleep } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { oneOf } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertMemory, assertText, emulatorFlags } from "./told-memory.mjs";

/** How long the VM does nothing between its two answers at first; twice as long each time that it was not enough. */
const QUIET_MS = 700;
/** Within which it has given its first one. */
const FIRST_ANSWER_MS = 250;

// Each waits for its VM most of the time.
describe("all releases at once", { concurrency: true }, () => {
  for (const release of ALL_OTP_RELEASES) {
    test(`OTP ${release}: allocators and ETS tables are those that the VM reports`, async (t) => {
      const vm = await runErl({
        otp: await prepareOtp(release),
        module: "gt_memory",
        args: [QUIET_MS, 1],
        emulatorFlags: emulatorFlags(release),
      });
      t.after(() => vm.kill());
      // Without symbols nothing is known of OTP 23.
      const ways = release === "23" ? [{}] : [{}, await forgetting("symbols")];
      for (const options of ways) {
        await oneOf(t, async () => {
          const asked = vm.report();
          const failed = asked.catch(() => {});
          await sleep(FIRST_ANSWER_MS);
          const shown = await helperJson(["memory", vm.pid], options);
          await failed;
          const said = await asked;
          assertMemory(shown, said, release, vm.pid);
        });
      }
      await assertText(vm.pid, release);
    });
  }
});

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: segments that the VM has freed and keeps are not counted as NIFs and drivers`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_segments", emulatorFlags: ["+MMmcs", "30"] });
    t.after(() => vm.kill());
    // It gives them back all the time, so it has some while it is read when it has some afterwards.
    const { resident } = await helperJson(["memory", vm.pid]);
    const { cached } = await vm.report();
    assert.ok(cached > 0, "the VM keeps some still");
    const { cached_segments_bytes: bytes, unexplained_bytes: unexplained } = resident;
    assert.ok(bytes > 1_000_000 && bytes <= unexplained, `${bytes} of ${unexplained}`);
    t.diagnostic(
      `${(bytes / 1e6).toFixed(1)} MB of ${(unexplained / 1e6).toFixed(1)} in no carrier, ${cached} segments a moment later`,
    );
  });
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: freed memory of a super carrier is not counted as NIFs and drivers`, async (t) => {
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_segments",
      emulatorFlags: ["+MMscs", "512"],
    });
    t.after(() => vm.kill());
    const { resident, allocators } = await helperJson(["memory", vm.pid]);
    const {
      cached_segments_bytes: bytes,
      unexplained_bytes: unexplained,
      malloc_bytes: malloc,
      thread_stacks_bytes: stacks,
    } = resident;
    const carriers = allocators.reduce(
      (/** @type {number} */ sum, /** @type {any} */ row) => sum + row.carriers_bytes,
      0,
    );
    t.diagnostic(
      `${(bytes / 1e6).toFixed(1)} MB of ${(unexplained / 1e6).toFixed(1)} in no carrier, ${((malloc + stacks) / 1e6).toFixed(1)} of malloc and stacks, carriers ${(carriers / 1e6).toFixed(1)}`,
    );
    assert.ok(bytes > 1_000_000 && bytes + malloc + stacks <= unexplained, `${bytes} of ${unexplained}`);
  });
}
