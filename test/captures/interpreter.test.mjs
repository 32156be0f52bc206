// VMs that are not the plain JIT: the interpreter of OTP 23, and JITs started with other flags.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { helperJson } from "../e2e/helper.mjs";

test("OTP 23: doctor and pstack", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("23"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  const report = JSON.stringify(await helperJson(["doctor", vm.pid]));
  assert.match(report, /OTP 23, ERTS [0-9.]+, emu/);
  // At some moments no scheduler runs a process.
  await until("a stack of the program", async () =>
    JSON.stringify(await helperJson(["pstack", vm.pid])).includes("gt_slices:process/3"),
  );
});
