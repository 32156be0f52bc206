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
import { ONE_BY_ONE, TOGETHER } from "./traced-kinds.mjs";

/** @typedef {import("../vms/otp.mjs").OtpRelease} OtpRelease */

const KINDS = andNightly([TOGETHER], ONE_BY_ONE);

/** Flags of the emulator. With frame pointers, a frame has one more word of the VM's own. @type {[string[], OtpRelease[]][]} */
const FLAGS = [
  [[], releasesOf(ALL_OTP_RELEASES, "25")],
  [["+JPperf", "true"], releasesOf(OTP_RELEASES, "27")],
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
    const vm = await runErl({ otp, module: "gt_traced", args: [kind, "resting"], emulatorFlags });
    t.after(() => vm.kill());
    // With frame pointers, the VM writes these for perf.
    for (const name of [`perf-${vm.pid}.map`, `jit-${vm.pid}.dump`])
      t.after(() => rmSync(otp.hostPath(`/tmp/${name}`), { force: true }));
    await restingStack(vm);
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const isBelow = (/** @type {import("../pprof-reader.mjs").ProfileSample} */ { frames }) =>
        frames.some(({ name }) => name === "gt_traced:work/2");
      // Read after the sample, a stack may be one that is not proven.
      const isProven = (/** @type {import("../pprof-reader.mjs").ProfileSample} */ { labels }) =>
        ["captured", "validated"].includes(String(labels.trust));
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
        const names = frames.filter(({ kind }) => kind === "erlang" || kind === "marker").map(({ name }) => name);
        assert.deepEqual(names.slice(names.indexOf("gt_traced:work/2")), WORKING, names.join(" < "));
      }
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
