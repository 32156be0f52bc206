// waits: each call that the helper knows is made to wait, on every release, and the processes that wait for each other
// are compared with the VM.
import { test } from "node:test";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertAsleep, assertCalls } from "./told-calls.mjs";

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a process in a call waits for the process that it called, whichever call it is`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_calls", args: [] });
    t.after(() => vm.kill());
    const said = await vm.report();
    await assertCalls(vm, said, { seconds: 1, least: 0.5 });
    t.diagnostic(
      `${said.cases.length} callers, ${new Set(said.cases.map((/** @type {string[]} */ [call]) => call)).size} functions`,
    );
  });
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a process in a NIF that waits is found on the scheduler that runs it`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_asleep", emulatorFlags: ["+S", "4"] });
    t.after(() => vm.kill());
    const reported = await vm.report();
    vm.go();
    await assertAsleep(vm, reported);
  });
}
