// A process that ends for long after it has returned has no Erlang stack: none is in doubt, which process ends is known, and so
// is its first function, if it was sampled before.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { releasesOf } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact, recordEnough, samplesIn } from "./enough.mjs";
import { temporaryFolder } from "./helper.mjs";

/** @typedef {import("../pprof-reader.mjs").ProfileSample} Sample */

const EXITING = "[exiting]";
/** What each process begins with. */
const FIRST = "gt_lives:leave/0";

for (const release of releasesOf(ALL_OTP_RELEASES, "27"))
  test(`OTP ${release}: by both engines the end of a process is its own`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_lives", args: ["leaving"] });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const isExiting = (/** @type {Sample} */ { frames }) => frames.some(({ name }) => name === EXITING);
      const isKnown = (/** @type {Sample} */ sample) => isExiting(sample) && sample.frames.at(-1)?.name === FIRST;
      const { quality } = await recordEnough(
        vm.pid,
        { hz: 997, file, engine },
        "samples of exits of known processes",
        (profile) => samplesIn(profile, isKnown) >= 30,
      );
      assertCountsAddUp(quality);
      if (engine === "bpf") assertExact(quality, { erlang: 0 });
      for (const { frames, labels } of readProfile(file).samples.filter(isExiting)) {
        const below = frames.slice(frames.findIndex(({ name }) => name === EXITING) + 1).map(({ name }) => name);
        if (below.length > 0) assert.deepEqual(below, [FIRST]);
        assert.ok(labels.pid !== undefined, JSON.stringify(labels));
      }
    }
  });
