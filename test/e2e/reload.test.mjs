// A module reloaded 50 times a second: no frame is named by the wrong one of its versions.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { record, temporaryFolder } from "./helper.mjs";

const MARK = "[code reloaded]";
/** What stands where frames are not known. */
const MARKS = [MARK, "[unproven]", "[truncated]", "[unknown JIT code]"];
/** Lines from here on are those of version 2. */
const VERSION_2 = 1000;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: 50 reloads a second, and every frame is of the version that ran`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_reload", args: [50] });
    t.after(() => vm.kill());
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const before = (await vm.report()).loads;
    const { quality } = await record(vm.pid, { seconds: 5, hz: 997, file });
    const loads = (await vm.stop()).loads - before;
    assert.ok(loads > 100, `only ${loads} loads: no storm`);

    const counts = { samples: 0, checked: 0, marked: 0, unmarked: 0, wrong: 0 };
    /** @type {Set<string>} */
    const wrong = new Set();
    const profile = readProfile(file);
    const counted = countIndex(profile);
    for (const { frames, values } of profile.samples) {
      const count = Number(values[counted]);
      const names = frames.map(({ name }) => name);
      if (!names.includes("gt_reload:runner/0")) continue;
      counts.samples += count;
      if (MARKS.some((mark) => names.includes(mark))) counts.marked += count;
      const version = names.find((name) => /^gt_reload:in_version_[12]\/1$/.test(name))?.at(-3);
      const reloaded = frames.filter(({ name }) => name.includes("gt_reloaded:"));
      if (reloaded.length > 0) counts.unmarked += count;
      if (version === undefined) {
        // Just calling, or returning: both versions are legal, but not in one stack.
        if (new Set(reloaded.map(({ line }) => line > VERSION_2)).size > 1) wrong.add(names.join(";"));
        continue;
      }
      counts.checked += count;
      for (const { name, line } of reloaded) {
        if (line > 0 && line > VERSION_2 === (version === "2")) continue;
        counts.wrong += count;
        wrong.add(`${name}:${line} in version ${version}`);
      }
      // No frame is lost either: what runs under the mark was called by the module.
      const below = names.slice(names.findIndex((name) => name.startsWith("gt_reload:in_version_")) + 1);
      if (!["gt_reloaded:work/2", "gt_reloaded:other_work/2", ...MARKS].includes(below[0] ?? "")) wrong.add(`called by ${below[0]}`);
    }
    t.diagnostic(`OTP ${release}: ${loads} loads, ${JSON.stringify(counts)}, marked ${((100 * counts.marked) / counts.samples).toFixed(2)} %, own cost ${quality.self_cpu_pct} %`);
    assert.deepEqual([...wrong].slice(0, 10), []);
    assert.ok(counts.checked > 200, JSON.stringify(counts));
    // The code index tells what ran between two looks: by its symbol, or where the JIT's code loads it.
    assert.ok(counts.marked < 0.4 * counts.samples, JSON.stringify(counts));
    // The record counts the samples with the mark: the runner's, and the few of others.
    const reloading = profile.samples.filter(({ frames }) => frames.some(({ name }) => name === MARK));
    assert.equal(quality.reloaded, reloading.reduce((sum, { values }) => sum + Number(values[counted]), 0));
    assert.ok(quality.reloaded > 0, "there is always one in a storm");
  });
}
