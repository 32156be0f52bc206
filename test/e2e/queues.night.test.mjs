// How many processes wait to be run, as it is read and as a capture keeps it, where it is known how many there are.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { runHelper } from "./helper.mjs";

const SPINNING = 200;
const SCHEDULERS = 2;
/** Processes of the VM's own that may wait as well, and those that are just on their way from or to a queue. */
const MOVING = 12;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: the run queues have all waiting processes, as the VM itself counts them`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "extrospect-queues-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_queue",
      args: [SPINNING],
      emulatorFlags: ["+S", `${SCHEDULERS}:${SCHEDULERS}`],
    });
    t.after(() => vm.kill());
    for (let look = 0; look < 5; look++) {
      // The VM's own work may wait for a dirty scheduler for a moment, such as the read of a file.
      await until("nothing waits for a dirty scheduler", async () => {
        const { stdout } = await runHelper(["dump", String(vm.pid), "--what", "queues"]);
        const { normal, dirty_cpu: dirtyCpu, dirty_io: dirtyIo } = JSON.parse(stdout.split("\n")[1] ?? "");
        assertAll(normal);
        return dirtyCpu === 0 && dirtyIo === 0;
      });
      assertAll((await vm.report()).waiting);
    }
    const file = join(folder, "capture.pb.gz");
    await runHelper(["record", String(vm.pid), "-d", "1", "--every", "0.2", "-o", file]);
    const { readings } = readProfile(file);
    assert.ok(readings.length >= 2, `${readings.length} readings`);
    for (const { runQueue } of readings) assertAll(runQueue);
    const times = readings.map(({ atMs }) => atMs);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });
}

test("in an idle VM, no process waits to run", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle" });
  t.after(() => vm.kill());
  const { stdout } = await runHelper(["dump", String(vm.pid), "--what", "queues"]);
  assert.ok(JSON.parse(stdout.split("\n")[1] ?? "").normal <= MOVING);
});

/** @param {number} waiting */
function assertAll(waiting) {
  assert.ok(waiting >= SPINNING - SCHEDULERS - MOVING && waiting <= SPINNING + MOVING, `${waiting} wait`);
}
