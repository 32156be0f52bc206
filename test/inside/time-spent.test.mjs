// CPU and waits in one table: two captures of one time on a VM of which it is known how its processes spend it.
import { test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertToldApart, SPINNERS, untilSeen, WAITERS } from "./time-spent.mjs";

const WATCHED_S = 1;

test("OTP 25: running, ready and waiting processes are distinguished, and sums are processes × seconds", async (t) => {
  const vm = await runErl({
    otp: await prepareOtp("25"),
    module: "gt_spent",
    args: [WAITERS, SPINNERS],
    emulatorFlags: ["+S", "2:2"],
  });
  t.after(() => vm.kill());
  assertToldApart(await untilSeen(t, vm.pid, WATCHED_S));
});
