// memory: allocators, their free memory, ETS tables and loaded code of a VM that is stopped, compared with the VM's own
// reports before and after.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, forgetting, helperJson, runHelper } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { oneOf, whileStopped } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertMemory, assertText, emulatorFlags } from "./told-memory.mjs";

/** Between the two answers of each of its reports, of which this test takes one. */
const QUIET_MS = 1;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: allocators and ETS tables are those that the VM reports`, async (t) => {
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_memory",
      args: [QUIET_MS, 1],
      emulatorFlags: emulatorFlags(release),
    });
    t.after(() => vm.kill());
    // Its first answers make its heap as large as it will be.
    await vm.report();
    const ways = release === "29" ? [{}, await forgetting("symbols")] : [{}];
    for (const options of ways) {
      await oneOf(t, async () => {
        const { after: before, ...said } = await vm.report();
        const shown = await whileStopped(vm.pid, () => helperJson(["memory", vm.pid], options));
        const { before: after } = await vm.report();
        assertMemory(shown, { ...said, before, after }, release, vm.pid);
      });
    }
    await assertText(vm.pid, release);
  });
}

// Where segments are given back all the time, the time between two looks decides: by night.
test("OTP 27: freed memory of a super carrier is not counted as NIFs and drivers", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_segments", emulatorFlags: ["+MMscs", "512"] });
  t.after(() => vm.kill());
  const {
    cached_segments_bytes: bytes,
    unexplained_bytes: unexplained,
    ...others
  } = (await helperJson(["memory", vm.pid])).resident;
  const elsewhere = others.malloc_bytes + others.thread_stacks_bytes;
  assert.ok(bytes > 1_000_000 && bytes + elsewhere <= unexplained, `${bytes} of ${unexplained}`);
});

test("what is no VM is refused", async () => {
  assertRefused(await runHelper(["memory", process.pid]), (await runHelper(["nodes", process.pid])).code ?? 0);
});
