// A capture's figures of the VM as a whole, beside its samples, compared with the VM's own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** The figures that only grow, by the names of readings and of gt_inside's statistics. */
const COUNTED = {
  collections: "collections",
  reclaimedWords: "reclaimed_words",
  reductions: "reductions",
  contextSwitches: "context_switches",
  ioInBytes: "io_in_bytes",
  ioOutBytes: "io_out_bytes",
};

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a capture has readings of the VM, which agree with the VM's own`, async (t) => {
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [10] });
    t.after(() => vm.kill());
    await vm.report();
    const before = (await vm.report()).statistics;
    const run = await runHelper(["record", vm.pid, "-d", "4", "--every", "0.5", "-o", file]);
    assert.equal(run.code, 0, run.stderr);
    const { statistics: after, counts, processes } = await vm.report();
    const { readings } = readProfile(file);
    assert.ok(readings.length >= 3, `${readings.length} readings`);
    const mailboxes = processes.map((/** @type {any} */ process) => process.mailbox);
    for (const reading of readings) {
      for (const [name, said] of Object.entries(COUNTED)) {
        const value = reading[name] ?? Number.NaN;
        assert.ok(
          before[said] <= value && value <= after[said],
          `${name} is ${value}, the VM had ${before[said]} and ${after[said]}`,
        );
      }
      assert.equal(reading["processes"], counts.processes);
      assert.equal(reading["runQueue"], 0);
      const memory = reading["memoryBytes"] ?? 0;
      assert.ok(
        memory > before.memory.total * 0.9 && memory < before.memory.total * 1.1,
        `${memory}, the VM had ${before.memory.total}`,
      );
      assert.ok((reading["rssBytes"] ?? 0) > 1e7);
    }
    const looked = readings.filter((reading) => reading["largestMailbox"] !== undefined);
    assert.ok(looked.length >= 2, `${looked.length} readings with mailboxes`);
    for (const reading of looked) {
      assert.equal(reading["largestMailbox"], Math.max(...mailboxes));
      assert.equal(
        reading["waitingMessages"],
        mailboxes.reduce((/** @type {number} */ sum, /** @type {number} */ one) => sum + one, 0),
      );
    }
    const fullest = processes.filter((/** @type {any} */ process) => process.mailbox === Math.max(...mailboxes));
    const pid = looked[0]?.["largestMailboxPid"] ?? 0;
    assert.ok(
      fullest.some((/** @type {any} */ process) => process.pid === `<0.${pid % 2 ** 28}.${Math.floor(pid / 2 ** 28)}>`),
      `${pid}`,
    );
    const cost = readings.reduce((sum, reading) => sum + (reading["costUs"] ?? 0), 0);
    t.diagnostic(`${readings.length} readings, ${cost} us of a processor`);
  });
}

test("segments of a capture without an end have the readings of their time", async (t) => {
  const folder = temporaryFolder(t);
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_inside", args: [3] });
  t.after(() => vm.kill());
  const { kept } = await helperJson([
    "record",
    vm.pid,
    "-d",
    "6",
    "--every",
    "0.2",
    "--keep",
    "12s",
    "-o",
    join(folder, "kept.pb.gz"),
  ]);
  assert.ok(kept.files.length >= 3, JSON.stringify(kept));
  for (const { file, from_s: from, until_s: until } of kept.files) {
    const { readings } = readProfile(file);
    // The last one may have ended just after it began.
    assert.ok(readings.length > 0 || file === kept.files.at(-1).file, file);
    for (const { atMs } of readings)
      assert.ok(Number(atMs) <= (until - from) * 1000 + 1000, `${atMs} of ${from} to ${until}`);
    assert.ok(readings.every((reading) => Number(reading["collections"]) > 0));
  }
});

test("the number of readings per second is bounded", async () => {
  for (const every of ["0", "0.05", "3601", "nan", "fast"]) {
    const { code, stderr } = await runHelper(["record", 1, "--every", every]);
    assert.equal(code, 2);
    assert.match(stderr, /not a number of seconds from 0\.1 to 3600/);
  }
});
