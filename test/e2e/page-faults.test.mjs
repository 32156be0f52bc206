// Page faults: who touches new memory, with Erlang stacks.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { releasesOf } from "../nightly.mjs";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

/** @typedef {import("../pprof-reader.mjs").Profile} Profile */
/** @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample */

const CPU = ["samples", "cpu"];
const FAULTS = ["fault_samples", "faults"];
/** The size of a binary of gt_grows, and their number. */
const MEBIBYTE = 2 ** 20;
const BINARIES = 64;
/** Memory of the VM that it had already touched may be used once more: it keeps so many pieces. */
const CACHED = 10;
const GROW = "gt_grows:grow/2";

/** The largest page that one fault may bring. */
function largestPage() {
  const file = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size";
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 2 * MEBIBYTE;
}

/** @param {Profile} profile @param {string} type @param {ProfileSample} sample */
const valueOf = (profile, type, { values }) => values[profile.sampleTypes.indexOf(type)] ?? 0;

/** @param {Profile} profile @param {string} type @param {readonly ProfileSample[]} samples */
const sumOf = (profile, type, samples) => samples.reduce((sum, sample) => sum + valueOf(profile, type, sample), 0);

/** @param {ProfileSample} sample @param {string} name */
const has = ({ frames }, name) => frames.some((frame) => frame.name === name);

/** @param {string} folder */
const hasIncrement = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".pb.gz"))
    .map((name) => join(folder, name))
    .some((file) => statSync(file).size > 0 && readUnfinishedProfile(file).sampleTypes.length > 0);

/**
 * Records a VM from before it grows until it has grown.
 * @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release
 * @param {string} file @param {string} events @param {readonly string[]} options
 */
async function recordGrowth(t, release, file, events, ...options) {
  // That of an earlier recording would seem to be this one's.
  rmSync(file, { force: true });
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_grows" });
  t.after(() => vm.kill());
  const { grower } = await vm.report();
  const how = ["-d", 0, "--max-overhead", "off", "--engine", "bpf", "--event", events];
  const { quality, kept } = await helperJson(["record", vm.pid, "-o", file, ...how, ...options], {
    onStart: (child) =>
      void (async () => {
        await untilIn(child, "it records", () => hasIncrement(dirname(file)));
        vm.go();
        await untilIn(child, "all binaries are there", async () => {
          const { bytes } = await vm.report();
          return bytes === BINARIES * MEBIBYTE;
        });
      })().finally(() => child.kill("SIGINT")),
  });
  vm.kill();
  return { grower, quality, kept };
}

for (const release of releasesOf(ALL_OTP_RELEASES, "25")) {
  test(`OTP ${release}: new memory that a process touches is page faults with its Erlang stack`, async (t) => {
    const file = join(temporaryFolder(t), "grows.pb.gz");
    for (;;) {
      const { grower, quality } = await recordGrowth(t, release, file, "cpu,faults");
      const profile = readProfile(file);
      assert.deepEqual(profile.sampleTypes, [...CPU, ...FAULTS]);
      for (const sample of profile.samples) {
        const types = [CPU, FAULTS].filter((columns) => columns.some((type) => valueOf(profile, type, sample) > 0));
        assert.ok(types.length <= 1, `of one type: ${JSON.stringify(sample)}`);
      }
      const faults = profile.samples.filter((sample) => valueOf(profile, "faults", sample) > 0);
      assert.equal(quality.faults.refused, undefined);
      assert.equal(sumOf(profile, "fault_samples", faults), quality.faults.samples);
      assert.equal(sumOf(profile, "faults", faults), quality.faults.faults);
      assert.ok(quality.faults.faults >= quality.faults.samples);
      // A whole stack of this process has the function in which it began.
      const ofGrower = faults.filter(({ labels }) => labels["pid"] === grower);
      for (const sample of ofGrower) {
        const isWhole = sample.frames.every(({ kind }) => kind !== "marker");
        if (isWhole) assert.ok(has(sample, "gt_grows:grower/1"), JSON.stringify(sample));
      }
      const inGrow = sumOf(
        profile,
        "fault_samples",
        ofGrower.filter((sample) => has(sample, GROW)),
      );
      // Of these no stack shows it, or they are in no sample.
      const { left_out: leftOut, lost, samples, whole } = quality.faults;
      const { dropped, unmatched } = quality.engine;
      const missing = leftOut + lost + (quality.gaps.unwritten ?? 0) + (samples - whole) + dropped + unmatched;
      const least = ((BINARIES - CACHED) * MEBIBYTE) / largestPage();
      assert.ok(inGrow + missing >= least, `${inGrow} in ${GROW} and ${missing} missing, of ${least}`);
      // Otherwise all were missing, and another recording shows some.
      if (inGrow > 0) break;
    }
    const { type, functions } = await helperJson(["top", file, "-n", 0, "--type", "faults"]);
    assert.deepEqual([type.name, type.unit, type.label], ["faults", "count", "page faults"]);
    assert.ok(functions.some((/** @type {any} */ row) => row.function === GROW));
  });
}

test("page faults alone have their line, and are exported", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "alone.pb.gz");
  const { quality } = await recordGrowth(t, "29", file, "faults");
  assert.deepEqual(readProfile(file).sampleTypes, FAULTS);
  assert.equal(quality.samples, 0);
  const { stdout } = await runHelper(["top", file]);
  assert.match(stdout, /^quality: no processor time sampled; /m);
  assert.match(stdout, /^faults: \d+ page faults?, \d+ samples? \(\d+ whole\)/m);
  const folded = await runHelper(["export", file, "--format", "folded", "--type", "faults"]);
  assert.match(folded.stdout, /gt_grows:grower\/1.*;.*gt_grows:grow\/2.* \d+$/m);
});

test("the files of a capture without an end have page faults, which add up to the whole", async (t) => {
  const file = join(temporaryFolder(t), "grows.pb.gz");
  const { kept, quality } = await recordGrowth(t, "29", file, "cpu,faults", "--keep", "10s");
  let [samples, faults] = [kept.removed_samples, kept.removed_fault_samples];
  for (const row of kept.files) {
    const profile = readProfile(row.file);
    assert.deepEqual(profile.sampleTypes, [...CPU, ...FAULTS]);
    assert.equal(sumOf(profile, "samples", profile.samples), row.samples, row.file);
    assert.equal(sumOf(profile, "fault_samples", profile.samples), row.fault_samples, row.file);
    [samples, faults] = [samples + row.samples, faults + row.fault_samples];
  }
  assert.equal(samples, quality.samples);
  assert.equal(faults, quality.faults.samples);
  assert.ok(faults > 0);
});

test("what cannot record them is said, and processor time is recorded all the same", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_grows" });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  const readv = join(folder, "readv.pb.gz");
  const args = ["record", vm.pid, "-d", 1, "--engine", "readv"];
  const { quality } = await helperJson([...args, "-o", readv, "--event", "cpu,faults"]);
  assert.match(quality.faults.refused, /^engine readv cannot record it/);
  assert.deepEqual(readProfile(readv).sampleTypes, CPU);
  const alone = await runHelper([...args, "-o", join(folder, "none.pb.gz"), "--event", "faults"]);
  assertRefused(alone, 1);
  assert.match(alone.stderr, /faults cannot be recorded: engine readv cannot record it/);
  const { type } = await helperJson(["top", vm.pid, "-d", 1, "--type", "faults"]);
  assert.equal(type.name, "faults");
});

test("options that do not know page faults are wrong usage", async () => {
  const work = await runHelper(["record", process.pid, "--event", "faults", "--work-command", "true"]);
  assertRefused(work, 2);
  assert.match(work.stderr, /--event without cpu cannot be combined with counted work/);
  const live = await runHelper(["top", process.pid, "--live", "--type", "faults"]);
  assertRefused(live, 2);
  assert.match(live.stderr, /--live cannot show faults/);
});
