// waits: each call that the helper knows is made to wait, on every release, and the processes that wait for each other
// are compared with the VM. The time that each spends in C code is judged by night.
import { test } from "node:test";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { oneOf } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertAsleep, assertAsleepInDriver, assertCalls } from "./told-calls.mjs";

// A thread that waits for a processor may seem to sleep: then it is looked at again.
for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a process in a call waits for the process that it called, whichever call it is`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_calls", args: [] });
    t.after(() => vm.kill());
    const said = await vm.report();
    await oneOf(t, () => assertCalls(vm, said, { seconds: 1, least: 0 }));
  });
}

test("OTP 29: a process in a NIF that waits is found on the scheduler that runs it", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_asleep", emulatorFlags: ["+S", "4"] });
  t.after(() => vm.kill());
  const reported = await vm.report();
  vm.go();
  await oneOf(t, () => assertAsleep(vm, reported));
});

test("OTP 27: a scheduler that sleeps in a driver is not idle, for a process or for a port", async (t) => {
  const vm = await runErl({
    otp: await prepareOtp("27"),
    module: "gt_driver",
    args: ["sleeps"],
    emulatorFlags: ["+S", "4"],
  });
  t.after(() => vm.kill());
  const reported = await vm.report();
  vm.go();
  await oneOf(t, () => assertAsleepInDriver(vm, reported));
});
