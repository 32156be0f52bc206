// heap: the live part of a process's heap, compared with the remains of the VM's own full collection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertHeaps } from "./told-heaps.mjs";

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: what lives is what a full collection leaves, to the word`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_heaps" });
    t.after(() => vm.kill());
    await assertHeaps(vm);
  });
}

test("a process that is not there and a pid that is none are refused; one that works is caught between two of its turns, or reported", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_queue", args: [3] });
  t.after(() => vm.kill());
  for (const pid of ["<0.99999.7>", "0.99999.7", "#PID<0.99999.7>", "no_such_name", "No.Such.Name"]) {
    const run = await runHelper(["heap", vm.pid, pid]);
    assertRefused(run, 1);
    assert.match(run.stderr, /has no Erlang process .*extrospect ps/);
  }
  for (const text of ["", "<0.-1.0>", "83", "<0.83>", "#Port<0.4>"]) {
    const run = await runHelper(["heap", vm.pid, text]);
    assert.equal(run.code, 2, text);
    assert.match(run.stderr, /expected a pid/);
  }
  const { processes } = await helperJson(["ps", vm.pid]);
  const busy = processes.find((/** @type {any} */ process) => process.initial_call === "gt_queue:spin/1");
  const run = await runHelper(["heap", vm.pid, busy.pid]);
  if (run.code === 0) return;
  assertRefused(run, 1);
  assert.match(run.stderr, /did not rest for a copy of its heap/);
});
