// Work that schedulers do for no process: destructors of resources end at the type of the resources, searches for replaced
// persistent terms at their cause.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { andNightly } from "../nightly.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, recordEnough, recordUntil, samplesIn } from "./enough.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample */

/** By destructor of the library: its type, or the stand-in where it has two. */
const OF_LIBRARY = new Map([
  ["free_picture", "[destructor of gt_resources:picture]"],
  ["free_font", "[destructor of gt_resources:'Font']"],
  ["free_either", "[NIF in no process]"],
]);
/** A function of a library that the VM has not loaded. */
const DESTRUCTORS = new Map([...OF_LIBRARY, ["free_glyph", "[destructor of gt_resources:glyph]"]]);
/** That of a NIF that is linked with the emulator: not every release has the names of such functions. */
const LINKED = "[destructor of zlib:gc_zlib]";
const MARKER = /^\[destructor of /;

const inNoProcess = (/** @type {ProfileSample} */ { labels }) => labels.trust === "no_process";
const shows = (/** @type {ProfileSample} */ { frames }, /** @type {string} */ name) =>
  frames.some((frame) => frame.name === name);
const outermostOf = (/** @type {ProfileSample} */ { frames }) => frames.at(-1)?.name ?? "";
/** What a process calls, also where it has the name of a destructor. @param {ProfileSample} sample */
const isOfProcess = (sample) => sample.labels.pid !== undefined && shows(sample, "free_picture");
/** The destructors and the types, or other outermost frames, of samples. @param {ProfileSample[]} samples */
const endsOf = (samples) =>
  samples.flatMap((sample) =>
    [...DESTRUCTORS.keys()].filter((name) => shows(sample, name)).map((name) => ({ name, end: outermostOf(sample) })),
  );

for (const release of andNightly(/** @type {const} */ (["25", "27"]), /** @type {const} */ (["23", "29"]))) {
  test(`OTP ${release}: a destructor ends at the type that it is of alone, and in a process at its stack`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_resources", args: ["resting"] });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const isEnough = (/** @type {import("../pprof-reader.mjs").Profile} */ profile) => {
        const free = profile.samples.filter(inNoProcess);
        const ends = endsOf(free);
        const isNamed = [...DESTRUCTORS].every(([name, type]) =>
          MARKER.test(type)
            ? ends.some((one) => one.name === name && one.end === type)
            : ends.some((one) => one.name === name),
        );
        const called = profile.samples.filter((sample) => shows(sample, "gt_resources:call/0"));
        const isInProcess = profile.samples.some(isOfProcess);
        const isLinked = free.some((sample) => outermostOf(sample) === LINKED);
        return (
          isNamed && isLinked && isInProcess && samplesIn({ ...profile, samples: called }) >= 10 && ends.length >= 30
        );
      };
      const recording = recordEnough(vm.pid, { hz: 997, file, engine }, "samples of each destructor", isEnough);
      // The library is loaded while the capture runs, before the first engine has a sample of it.
      await vm.report();
      const { quality } = await recording;
      assertCountsAddUp(quality);
      const { samples } = readProfile(file);
      // No type but its own, and for one of two types none.
      const marked = endsOf(samples).filter(({ end }) => MARKER.test(end));
      for (const { name, end } of marked) assert.equal(end, DESTRUCTORS.get(name));
      for (const sample of samples.filter((one) => MARKER.test(outermostOf(one)))) {
        const { pid, trust, class: sampleClass } = sample.labels;
        assert.deepEqual([pid, trust], [undefined, "no_process"]);
        if (sample.frames[0]?.name.startsWith("steps")) assert.equal(sampleClass, "nif");
      }
      const ofProcess = samples.filter(isOfProcess);
      assert.ok(ofProcess.length > 0);
      for (const sample of ofProcess) assert.ok(!MARKER.test(outermostOf(sample)));
      const top = await helperJson(["top", file, "--only-erlang", "-n", 0]);
      const rows = top.functions.map((/** @type {any} */ row) => row.function);
      const { callers } = await helperJson(["blame", "nif:gt_resources", file]);
      const causes = callers.map((/** @type {any} */ row) => row.function);
      for (const end of [...DESTRUCTORS.values(), LINKED]) assert.ok(rows.includes(end), `${end}: ${rows}`);
      for (const end of OF_LIBRARY.values()) assert.ok(causes.includes(end), `${end}: ${causes}`);
      for (const { frames } of samples.filter((one) => outermostOf(one) === LINKED))
        assert.ok(frames.every(({ name }) => !DESTRUCTORS.has(name)));
    }
  });
}

const CAUSE = "[persistent_term or purged code]";
/** Searches a process for literals that will be freed, or collects it because of them. */
const OF_LITERALS = /^erts_(check_copy_literals_gc_need|copy_literals_gc$|garbage_collect_literals$)/;

for (const release of andNightly(/** @type {const} */ (["27"]), /** @type {const} */ (["25"]))) {
  test(`OTP ${release}: a search for replaced persistent terms ends at its cause`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_lives", args: ["replacing"] });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    const isCaused = (/** @type {ProfileSample} */ sample) => outermostOf(sample) === CAUSE;
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const isEnough = (/** @type {import("../pprof-reader.mjs").Profile} */ profile) =>
        samplesIn(profile, isCaused) >= 30;
      const { quality } = await recordEnough(vm.pid, { hz: 997, file, engine }, "samples of the search", isEnough);
      assertCountsAddUp(quality);
      for (const { frames, labels } of readProfile(file).samples.filter(isCaused)) {
        assert.deepEqual([labels.pid, labels.trust], [undefined, "no_process"]);
        assert.ok(frames.some(({ name }) => OF_LITERALS.test(name)));
      }
      const top = await helperJson(["top", file, "--only-erlang", "-n", 0]);
      assert.ok(top.functions.some((/** @type {any} */ row) => row.function === CAUSE));
    }
  });
}

test("OTP 29: without names of C functions, the cause of the work of schedulers is not known, and that is stated", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_lives", args: ["replacing"] });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  for (const engine of /** @type {const} */ (["bpf", "readv"])) {
    const file = join(folder, `${engine}.pb.gz`);
    const quality = await recordUntil(
      vm.pid,
      { seconds: 1, hz: 997, file, engine },
      "samples of schedulers without names",
      (recorded) => recorded.quality,
      (found) => found.scheduler_unnamed >= 30,
    );
    assertCountsAddUp(quality);
    assert.ok(quality.scheduler_unnamed <= quality.scheduler);
    const profile = readProfile(file);
    assert.ok(samplesIn(profile, inNoProcess) >= quality.scheduler_unnamed);
    assert.ok(!profile.samples.some((sample) => outermostOf(sample) === CAUSE));
    const { stdout } = await runHelper(["top", file]);
    const sentence =
      /samples \([\d.]+ %\) of schedulers in C code without names: whether this is their own work, .* is not known/;
    assert.match(/^quality: .*$/m.exec(stdout)?.[0] ?? "", sentence);
  }
});
