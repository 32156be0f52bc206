// A module reloaded 50 times a second: no frame is named by the wrong one of its versions, and unknown frames are
// marked and counted. Nothing is in doubt about a process beside it that runs other code. The number of samples that
// are left with a mark depends on the other load of the machine: that is a row of `npm run accuracy`, with a verdict
// there, and no matter of this test.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { judgeStorm } from "../accuracy/reload-storm.mjs";
import { releasesOf } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { record, temporaryFolder } from "../e2e/helper.mjs";

/**
 * Recordings are added, up to this many, until so many samples show their version and so many are of the process
 * beside: other work may leave few in one.
 */
const [ENOUGH_CHECKED, ENOUGH_BESIDE, MOST_RECORDINGS] = [200, 40, 6];
/** Of the samples beside. A doubt about all code would be in most of them. */
const MOST_FIRST_READS = 0.1;
/** Of the engines in turn. @type {("auto" | "readv")[]} */
const ENGINES = ["auto", "readv"];

for (const release of releasesOf(ALL_OTP_RELEASES, "29")) {
  test(`OTP ${release}: 50 reloads a second, and every frame is of the version that ran`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_reload", args: [50] });
    t.after(() => vm.kill());
    const file = join(temporaryFolder(t), "capture.pb.gz");
    let [checked, beside, recordings] = [0, 0, 0];
    while (
      recordings < ENGINES.length ||
      ((checked < ENOUGH_CHECKED || beside < ENOUGH_BESIDE) && recordings < MOST_RECORDINGS)
    ) {
      const engine = ENGINES[recordings % ENGINES.length] ?? "auto";
      recordings += 1;
      const before = (await vm.report()).loads;
      const { quality } = await record(vm.pid, { seconds: 3, hz: 997, file, engine, isReplacing: true });
      const loads = (await vm.report()).loads - before;
      assert.ok(loads > 1, `only ${loads} loads: no storm`);
      const { wrong, reloadedOfAll, doubted, ...counts } = judgeStorm(readProfile(file));
      t.diagnostic(
        `OTP ${release} ${engine}: ${loads} loads, ${JSON.stringify(counts)}, own cost ${quality.self_cpu_pct} %`,
      );
      assert.deepEqual([...wrong], []);
      // A doubt stays with the loaded module. Code that is first read during a load cannot be proven then: that is a
      // sample or two of a recording, and more on a busy machine. An interpreter's own registers may be in doubt,
      // whatever is loaded.
      const inDoubt = [...doubted.values()].reduce((sum, count) => sum + count, 0);
      if (release !== "23")
        assert.ok(
          inDoubt <= counts.beside * MOST_FIRST_READS,
          `${inDoubt} of ${counts.beside}: ${[...doubted.keys()].map((names) => names.slice(0, 200))}`,
        );
      // The record counts the samples with the mark: the runner's, and the few of others.
      assert.equal(quality.reloaded, reloadedOfAll);
      const reasons = Object.values(quality.reloaded_by ?? {}).reduce((sum, samples) => sum + samples, 0);
      assert.equal(reasons, quality.reloaded, JSON.stringify(quality.reloaded_by));
      checked += counts.checked;
      beside += counts.beside;
    }
    assert.ok(checked > 0, `no sample of ${recordings} recordings has its version`);
    assert.ok(beside > 0, `no sample of ${recordings} recordings is of the process beside it`);
  });
}
