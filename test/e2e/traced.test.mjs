// Call tracing while a VM is sampled: the VM's own return addresses below a traced call are no doubt about its callers.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkerOf } from "../accuracy/legality.mjs";
import { looksAt } from "../inside/looks.mjs";
import { andNightly, releasesOf } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact, recordEnough, samplesIn } from "./enough.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";
import { LAST_CALLS, ONE_BY_ONE, TOGETHER } from "./traced-kinds.mjs";

/** @typedef {import("../vms/otp.mjs").OtpRelease} OtpRelease */
/** @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample */

const ENGINES = /** @type {const} */ (["bpf", "readv"]);

const KINDS = andNightly([TOGETHER], ONE_BY_ONE);

/** Flags of the emulator. With frame pointers, a frame has one more word of the VM's own. @type {[string[], OtpRelease[]][]} */
const FLAGS = [
  [[], releasesOf(ALL_OTP_RELEASES, "25")],
  [["+JPperf", "true"], releasesOf(OTP_RELEASES, "27")],
];

/** The same for functions that call each other last. @type {[string[], OtpRelease[]][]} */
const FLAGS_OF_LAST = [
  [[], releasesOf(OTP_RELEASES, "29")],
  [["+JPperf", "true"], andNightly(/** @type {OtpRelease[]} */ ([]), ["27"])],
];
const TRACED = FLAGS.flatMap(([emulatorFlags, releases]) =>
  releases.flatMap((release) =>
    KINDS.filter(({ since }) => since <= Number(release)).map(({ kind }) => ({ release, kind, emulatorFlags })),
  ),
);

/** @type {import("../accuracy/legality.mjs").CallRules} */
const RULES = {
  calls: [
    ["gt_traced:work/2", "gt_traced:render/2", "work(Item, 100)"],
    ["gt_traced:render/2", "gt_traced:handle_event/1", "render(Items, 0)"],
    ["gt_traced:handle_event/1", "gt_traced:loop/1", "handle_event("],
    ["gt_traced:pause/1", "gt_traced:loop/1", "pause(Pause)"],
    ["gt_traced:loop/1", "bottom"],
  ],
};

for (const { release, kind, emulatorFlags } of TRACED)
  test(`OTP ${[release, ...emulatorFlags].join(" ")}, ${kind}: by both engines all callers of a traced call are shown`, async (t) => {
    const otp = await prepareOtp(release);
    const vm = await tracedVm(t, otp, { module: "gt_traced", args: [kind, "resting"], emulatorFlags });
    await restingStack(vm);
    const folder = temporaryFolder(t);
    for (const engine of ENGINES) {
      const file = join(folder, `${engine}.pb.gz`);
      const isBelow = (/** @type {ProfileSample} */ { frames }) =>
        frames.some(({ name }) => name === "gt_traced:work/2");
      const { quality } = await recordEnough(
        vm.pid,
        { hz: 997, file, engine },
        "samples below the call",
        (profile) =>
          samplesIn(profile, isBelow) >= 50 && profile.samples.some((sample) => isBelow(sample) && isProven(sample)),
      );
      assertCountsAddUp(quality);
      assert.equal(quality.tracing.traced, FEW.has(kind) ? 2 : (await vm.report()).functions);
      // Counting alone leaves nothing on a stack.
      assert.ok(
        kind === "call_count" || (quality.traced > 0 && quality.traced <= quality.samples),
        String(quality.traced),
      );
      if (engine === "bpf") assertExact(quality);
      const checker = checkerOf(RULES);
      const { samples } = readProfile(file);
      assert.deepEqual([...new Set(samples.map((sample) => checker.check(sample).wrong))], [null]);
      const proven = samples.filter((sample) => isBelow(sample) && isProven(sample));
      assert.ok(proven.length > 0);
      for (const { frames } of proven) {
        const names = erlangNames(frames);
        assert.deepEqual(names.slice(names.indexOf("gt_traced:work/2")), WORKING, names.join(" < "));
      }
    }
  });

/** @type {import("../accuracy/legality.mjs").CallRules} */
const RULES_OF_LAST = {
  calls: [
    ["gt_traced_last:work/2", "gt_traced_last:there/2", "work(Item, 100)"],
    ["gt_traced_last:work/2", "gt_traced_last:back/2", "work(Item, 100)"],
    ["gt_traced_last:there/2", "gt_traced_last:turns/1", "there(Count, 20)"],
    ["gt_traced_last:back/2", "gt_traced_last:turns/1", "there(Count, 20)"],
    ["gt_traced_last:turns/1", "gt_traced_last:loop/1", "turns(50)"],
    ["gt_traced_last:pause/1", "gt_traced_last:loop/1", "pause(Pause)"],
    ["gt_traced_last:loop/1", "bottom"],
  ],
};
/** All stacks of the process. */
const STACKS_OF_LAST = [
  ...["there/2", "back/2"].flatMap((name) => [`work/2 < ${name} < turns/1 < loop/1`, `${name} < turns/1 < loop/1`]),
  "turns/1 < loop/1",
  "pause/1 < loop/1",
  "loop/1",
];
/** Of samples that `bpf` has copied; most are in the tracing itself. */
const LEAST_OF_LAST = { erlang: 0.95, native: 0.95 };
/** The VM reports a call, which is nearly all C code that these functions call. */
const isReported = (/** @type {ProfileSample} */ { frames }) =>
  frames[0]?.kind === "native" && frames.some(({ name }) => name === "gt_traced_last:turns/1");
/** In or below a function that is only ever called last. */
const isCalledLast = (/** @type {ProfileSample} */ { frames }) =>
  frames.some(({ name }) => name === "gt_traced_last:back/2");

for (const [emulatorFlags, releases] of FLAGS_OF_LAST)
  for (const release of releases)
    for (const kind of LAST_CALLS)
      test(`OTP ${[release, ...emulatorFlags].join(" ")}, ${kind}: by both engines traced functions that call each other last are below the caller of the first`, async (t) => {
        const otp = await prepareOtp(release);
        const vm = await tracedVm(t, otp, { module: "gt_traced_last", args: [kind, "resting"], emulatorFlags });
        const folder = temporaryFolder(t);
        for (const engine of ENGINES) {
          const file = join(folder, `${engine}.pb.gz`);
          const { quality } = await recordEnough(
            vm.pid,
            { hz: 997, file, engine },
            "reports of calls, and calls that were made last",
            (profile) =>
              samplesIn(profile, isReported) >= 20 &&
              profile.samples.some((sample) => isCalledLast(sample) && isProven(sample)),
          );
          assertCountsAddUp(quality);
          if (engine === "bpf") assertExact(quality, LEAST_OF_LAST);
          assert.equal(quality.tracing.traced, 2);
          assert.ok(quality.traced > 0 && quality.traced <= quality.samples, String(quality.traced));
          const checker = checkerOf(RULES_OF_LAST);
          const { samples } = readProfile(file);
          assert.deepEqual([...new Set(samples.map((sample) => checker.check(sample).wrong))], [null]);
          const ofProcess = samples.filter((sample) => checker.check(sample).relevant && isProven(sample));
          const stacks = new Set(ofProcess.map(({ frames }) => ownStack(frames, "gt_traced_last:")));
          assert.deepEqual(
            [...stacks].filter((stack) => !STACKS_OF_LAST.includes(stack)),
            [],
          );
          const ofLast = [...stacks].filter((stack) => stack.endsWith("back/2 < turns/1 < loop/1"));
          assert.notEqual(ofLast.length, 0, [...stacks].join("; "));
        }
      });

/** Kinds that two functions have; the others, all of the program. */
const FEW = new Set(["return_trace", "exception_trace", "return_to"]);

for (const release of releasesOf(ALL_OTP_RELEASES, "29"))
  test(`OTP ${release}: each look, doctor and a capture have the number and kind of traced functions`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_traced", args: ["steps"] });
    t.after(() => vm.kill());
    const known = async () => (await helperJson(["node", vm.pid])).traced_functions;
    const tracingOf = async () => {
      const { rows } = await helperJson(["doctor", vm.pid]);
      return rows.find((/** @type {any} */ { check }) => check === "call tracing");
    };
    const functions = (await known()).looked_at;
    assert.ok(functions > 1000, `${functions} functions`);
    let steps = 0;
    for (let expected; (expected = (await vm.report()).traced) !== undefined; steps += 1) {
      const { looked_at, ...found } = await known();
      assert.deepEqual(found, expected, `step ${steps}`);
      assert.ok(looked_at >= functions);
      if (steps > 1) continue;
      const row = await tracingOf();
      assert.equal(row.status, expected.traced > 0 ? "warn" : "ok", row.found);
      for (const look of looksAt(vm.pid)) {
        const { circumstances } = await helperJson(look);
        assert.deepEqual(circumstances.traced_functions, { looked_at, ...expected }, look.join(" "));
        const { stdout } = await runHelper(look);
        const traced = /^call tracing is on: (\d+) of \d+ functions with a breakpoint/m.exec(stdout)?.[1];
        assert.equal(Number(traced ?? 0), expected.traced, stdout);
      }
      const file = join(temporaryFolder(t), "traced.pb.gz");
      const { quality } = await recordEnough(vm.pid, { hz: 99, file, engine: "readv" }, "a capture", () => true);
      assert.deepEqual(quality.tracing, { looked_at, ...expected });
      assert.equal(quality.traced ?? 0, 0, "no call of a traced function");
    }
    assert.ok(steps >= 4, `${steps} steps`);
  });

/** Read after the sample, a stack may be one that is not proven. @param {ProfileSample} sample */
const isProven = ({ labels }) => ["captured", "validated"].includes(String(labels.trust));

/** @param {ProfileSample["frames"]} frames */
const erlangNames = (frames) =>
  frames.filter(({ kind }) => kind === "erlang" || kind === "marker").map(({ name }) => name);

/** From the innermost frame of the module on, without its name. @param {ProfileSample["frames"]} frames @param {string} prefix */
function ownStack(frames, prefix) {
  const names = erlangNames(frames);
  const own = names.slice(names.findIndex((name) => name.startsWith(prefix)));
  return own.map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name)).join(" < ");
}

/**
 * @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpInstallation} otp
 * @param {{module: string, args: string[], emulatorFlags: string[]}} program
 */
async function tracedVm(t, otp, program) {
  const vm = await runErl({ otp, ...program });
  t.after(() => vm.kill());
  // With frame pointers, the VM writes these for perf.
  for (const name of [`perf-${vm.pid}.map`, `jit-${vm.pid}.dump`])
    t.after(() => rmSync(otp.hostPath(`/tmp/${name}`), { force: true }));
  return vm;
}

const WORKING = ["gt_traced:work/2", "gt_traced:render/2", "gt_traced:handle_event/1", "gt_traced:loop/1"];

/** The stack of the process that waits is the one that the VM itself reports. @param {import("../vms/vm.mjs").RunningVm} vm */
async function restingStack(vm) {
  const { resting } = await until("a process that waits", async () => {
    const report = await vm.report();
    return report.resting.length === 3 && report;
  });
  const { stdout } = await runHelper(["dump", vm.pid, "--what", "stacks"]);
  const stacks = stdout
    .split("\n")
    .filter((line) => line.includes('"frames"'))
    .map((line) => JSON.parse(line));
  const own = stacks.filter(({ current }) => current?.function === "gt_traced:rests/0");
  const shown = own.map(({ complete, stray_words, current, frames }) => ({
    complete,
    stray_words,
    names: [current, ...frames].map((place) => /^gt_traced:(.*)\/\d$/.exec(place.function)?.[1] ?? place.function),
  }));
  assert.deepEqual(shown, [{ complete: true, stray_words: 0, names: resting }]);
  // Its heap, too, has these frames and no variables of others.
  const { stack, roots } = await helperJson(["heap", vm.pid, "sleeper"]);
  const named = stack.map((/** @type {any} */ frame) => frame.function);
  assert.deepEqual(
    named,
    resting.map((/** @type {string} */ name) => `gt_traced:${name}/${name === "holds" ? 1 : 0}`),
  );
  const variables = roots.filter((/** @type {any} */ { root }) => /^y\d+ of (?!gt_traced:)/.test(root));
  assert.deepEqual(variables, []);
}
