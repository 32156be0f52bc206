// The engine that needs fewer rights is used where the other one may not be, and each result names it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import { releasesOf } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { recordEnough, samplesIn } from "../e2e/enough.mjs";
import { WITHOUT_BPF } from "../e2e/fewer-rights.mjs";
import { runHelper, temporaryFolder } from "../e2e/helper.mjs";

test("without the right to eBPF the late reader is used, with the reason", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  const file = join(folder, "fallback.pb.gz");
  const { quality } = await recordEnough(
    vm.pid,
    { file, wrapper: WITHOUT_BPF },
    "some samples",
    (profile) => samplesIn(profile) >= 10,
  );
  assert.equal(quality.engine.name, "readv");
  assert.match(quality.engine.reason, /^bpf cannot be used: .*CAP_BPF/);
  const settings = readProfile(file).comments.find((comment) => comment.startsWith("extrospect/settings "));
  assert.match(settings ?? "", /"engine":"readv"/);
  const refused = await runHelper(["record", vm.pid, "-d", 1, "-o", join(folder, "refused.pb.gz"), "--engine", "bpf"], {
    wrapper: WITHOUT_BPF,
  });
  assert.equal(refused.code, 4, refused.stderr);
  assert.match(refused.stderr, /bpf engine cannot be used.*--engine readv/);
  // The other engine does not record it, so it is no remedy.
  const waits = await runHelper(
    ["record", vm.pid, "-d", 1, "-o", join(folder, "waits.pb.gz"), "--engine", "bpf", "--event", "off-cpu"],
    { wrapper: WITHOUT_BPF },
  );
  assert.equal(waits.code, 4, waits.stderr);
  assert.match(waits.stderr, /off-cpu cannot be recorded: the bpf engine cannot be used/);
  assert.doesNotMatch(waits.stderr, /readv/);
  const doctor = await runHelper(["doctor"], { wrapper: WITHOUT_BPF });
  assert.match(doctor.stdout, /exact stacks \(bpf\)[^\n]*readv is used/);
});

// The frames between are left out: those of the copy of each end remain, and of these as many as a capture keeps.
for (const { engine, daily } of /** @type {const} */ ([
  { engine: "bpf", daily: "27" },
  { engine: "readv", daily: "25" },
])) {
  for (const release of releasesOf(/** @type {const} */ (["25", "27"]), daily)) {
    test(`OTP ${release}, ${engine}: a stack of 100,000 frames keeps both its ends`, async (t) => {
      const vm = await runErl({ otp: await prepareOtp(release), module: "gt_deep", args: [100_000] });
      t.after(() => vm.kill());
      const file = join(temporaryFolder(t), "deep.pb.gz");
      /** Stacks in the work below the recursion. @param {import("../pprof-reader.mjs").Profile} profile */
      const stacks = (profile) =>
        profile.samples
          .map(({ frames }) => frames.map(({ name }) => name))
          .filter(([leaf]) => leaf === "gt_deep:bottom/2");
      const shorter = (/** @type {string[]} */ names) => names.filter((name, index) => name !== names[index - 1]);
      // Few samples: each has thousands of frames, and one is enough.
      await recordEnough(vm.pid, { hz: 49, file, engine }, "a stack that is longer than its copy", (profile) =>
        stacks(profile).some((names) => names.includes("[not copied]")),
      );
      for (const names of stacks(readProfile(file))) {
        // On a busy machine so many stacks wait to be written that they keep fewer frames.
        const found = shorter(names).filter((name) => name !== "[too deep]" && name !== "[shortened]");
        // A late read may come too late, and a copy be lost; then nothing below the sampled part is shown.
        if (found.at(-1) === "[unproven]") continue;
        assert.equal(found.at(-1), "gt_deep:process/2", found.join(" < "));
        const between = found.slice(1, -1).filter((name) => name !== "[not copied]");
        assert.deepEqual([...new Set(between)], ["gt_deep:descend/2"]);
      }
    });
  }
}
