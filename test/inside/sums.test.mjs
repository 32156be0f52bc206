// Sums of the memory outside of heaps, and heaps that are hard to read: on a release that keeps messages in buffers; on
// all by night.
import { test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertSums } from "./told-sums.mjs";

for (const release of /** @type {const} */ (["29"])) {
  test(`OTP ${release}: messages, links and monitors are in a process's memory, and a mailbox in buffers is counted`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_sums" });
    t.after(() => vm.kill());
    await assertSums(vm, release);
  });
}
