// pstack and node of a VM that writes a crash dump: its schedulers are kept from running, and none is idle.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { helperJson, helperText } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { until } from "../until.mjs";
import { spare } from "../vms/held.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { untilRuns } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";

for (const release of releasesOf(ALL_OTP_RELEASES, "27")) {
  test(`OTP ${release}: no scheduler of a VM that writes its crash dump is idle`, async (t) => {
    const otp = await prepareOtp(release);
    const dump = openPath("ending");
    const vm = await runErl({
      otp,
      module: "gt_erlang",
      emulatorFlags: ["+S", "4"],
      env: { ERL_CRASH_DUMP: dump },
    });
    t.after(() => vm.kill());
    // No process reads it, so the VM waits to open it for as long as the test lasts.
    execFileSync("mkfifo", [otp.hostPath(dump)]);
    t.after(() => rmSync(otp.hostPath(dump), { force: true }));
    // From OTP 26 on it has a handler of SIGCONT, which ends that wait, and so the VM.
    spare(t, vm.pid);
    await untilRuns(vm.pid);
    process.kill(vm.pid, "SIGUSR1"); // by the test: the VM then halts with a crash dump
    const { threads } = await until("it writes its crash dump", async () => {
      const found = await helperJson(["pstack", vm.pid]);
      return found.ending === true && found;
    });
    assert.deepEqual(
      threads.filter((/** @type {any} */ { idle }) => idle),
      [],
    );
    const text = await helperText(["pstack", vm.pid]);
    assert.match(text, /^the VM is ending: a process is in erlang:halt, or a crash dump is written$/m);
    assert.doesNotMatch(text, /\bidle\b/);
    const { schedulers, unknown } = await helperJson(["node", vm.pid]);
    assert.deepEqual(schedulers, []);
    assert.match(unknown.schedulers, /^the VM is ending: /);
  });
}
