// A process that ends for long after it has returned has no Erlang stack: none is in doubt, and which process ends is known.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { releasesOf } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact, recordEnough, samplesIn } from "./enough.mjs";
import { temporaryFolder } from "./helper.mjs";

const EXITING = "[exiting]";

for (const release of releasesOf(ALL_OTP_RELEASES, "27"))
  test(`OTP ${release}: by both engines the end of a process is its own`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_lives", args: ["leaving"] });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const isExiting = (/** @type {import("../pprof-reader.mjs").ProfileSample} */ { frames }) =>
        frames.some(({ name }) => name === EXITING);
      const { quality } = await recordEnough(
        vm.pid,
        { hz: 997, file, engine },
        "samples of exits",
        (profile) => samplesIn(profile, isExiting) >= 30,
      );
      assertCountsAddUp(quality);
      if (engine === "bpf") assertExact(quality, { erlang: 0 });
      for (const { frames, labels } of readProfile(file).samples.filter(isExiting)) {
        const below = frames.slice(frames.findIndex(({ name }) => name === EXITING) + 1).map(({ name }) => name);
        assert.deepEqual(below, []);
        assert.ok(labels.pid !== undefined, JSON.stringify(labels));
      }
    }
  });
