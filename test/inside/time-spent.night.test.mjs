// CPU and waits in one table: two captures of one time on VMs of which it is known how their processes spend it. What
// depends on the processor time that they get is judged here.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertToldApart, opened, spent, SPINNERS, untilSeen, WAITERS } from "./time-spent.mjs";

const WATCHED_S = 3;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: running, ready and waiting processes are distinguished, and sums are processes × seconds`, async (t) => {
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_spent",
      args: [WAITERS, SPINNERS],
      emulatorFlags: ["+S", "2:2"],
    });
    t.after(() => vm.kill());
    const seen = await untilSeen(t, vm.pid, WATCHED_S);
    const { all, spinner } = assertToldApart(seen);
    const { watched, shared } = seen;
    // At one moment no more than two can run; while one is put away and the next one is taken, one of each is seen for a moment.
    assert.ok(spinner.running > 0 && spinner.running <= 3 * watched.lookedSeconds, JSON.stringify(spinner));
    assert.ok(spinner.ready >= (SPINNERS - 3) * watched.lookedSeconds, "there are two schedulers for all of them");
    // Four cannot be on two processors for longer than the time, were the machine's clock and ours ever so different: a tenth is left for the edges.
    assert.ok(
      all.cpu <= 2 * shared.sampledSeconds * 1.1,
      `${all.cpu} s on two schedulers in ${shared.sampledSeconds} s`,
    );
    assert.equal(seen.time.processes().unseenCpu, 0, "all that ran was seen by a look");
  });
}

test("captures of two VMs, and of two times, are not put together", async (t) => {
  const otp = await prepareOtp("27");
  const [one, other] = [
    await runErl({ otp, module: "gt_spent", args: [1, 1] }),
    await runErl({ otp, module: "gt_spent", args: [1, 1] }),
  ];
  t.after(() => [one, other].forEach((vm) => vm.kill()));
  const folder = temporaryFolder(t);
  const files = {
    cpu: join(folder, "cpu.pb.gz"),
    waits: join(folder, "waits.pb.gz"),
    later: join(folder, "later.pb.gz"),
  };
  assert.equal((await runHelper(["record", one.pid, "-d", "1", "-o", files.cpu])).code, 0);
  await helperJson(["waits", other.pid, "-d", "1", "-o", files.waits]);
  await helperJson(["waits", one.pid, "-d", "1", "-o", files.later]);
  assert.equal((await opened(files.cpu, files.waits)).shared, "otherVm");
  assert.equal((await opened(files.cpu, files.later)).shared, "otherTime");
  const waits = spent.captureOf(await spent.readCapture(readFileSync(files.waits)));
  const cpu = spent.captureOf(await spent.readCapture(readFileSync(files.cpu)));
  assert.equal(spent.sharedTime(waits.facts, waits.facts), "noCpu");
  assert.equal(spent.sharedTime(cpu.facts, cpu.facts), "noWaits");
});
