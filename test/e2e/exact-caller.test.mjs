// No wrong Erlang frame: in gt_bif's exact mode every built-in function has one legal caller,
// line and stack, so any other pair in a capture is a stack of another moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { record, temporaryFolder } from "./helper.mjs";

/**
 * @typedef {{bif: string, native: string[], caller: string, line: number, stack: string[]}} LegalSite
 */

/**
 * Why a sample cannot be true, or null. Bracketed samples keep only deep frames.
 * @param {import("../pprof-reader.mjs").ProfileSample} sample
 * @param {LegalSite[]} legal
 */
export function wrongness(sample, legal) {
  const erlang = sample.frames.filter((frame) => frame.kind === "erlang" && frame.name.startsWith("gt_bif:"));
  if (erlang.length === 0) return null;
  const site = legal.find((candidate) =>
    sample.frames.some(
      (frame) =>
        frame.kind !== "erlang" && (frame.name === candidate.bif || candidate.native.includes(frame.name)),
    ),
  );
  if (!site) return null;
  const shown = erlang.map((frame) => frame.name);
  // The process that receives and the wait between rounds send too; they are legal senders.
  if (shown[0] === "gt_bif:receiver/0" || shown[0] === "gt_bif:caught_up/0") {
    return site.native.includes("erl_send") ? null : `${site.bif} under ${shown[0]}`;
  }
  const bracketed = sample.labels.trust === "bracketed";
  const expected = bracketed ? site.stack.slice(-shown.length) : site.stack;
  if (shown.join() !== expected.join()) return `${site.bif} under ${shown.join(" < ")}`;
  const caller = erlang[0];
  if (caller?.name === site.caller && caller.line !== site.line) {
    return `${site.bif} at line ${caller.line}, not ${site.line}`;
  }
  return null;
}

const SITE = {
  bif: "erlang:phash2/1", native: ["phash2_1"], caller: "gt_bif:a/3", line: 7,
  stack: ["gt_bif:a/3", "gt_bif:round/2", "gt_bif:forever/3"],
};

/** @param {string[]} erlang @param {string} trust @param {number} line */
function sampleOf(erlang, trust, line) {
  const frames = [{ name: "phash2_1", kind: "native", file: "", line: 0 },
    ...erlang.map((name) => ({ name, kind: "erlang", file: "gt_bif.erl", line }))];
  return { frames, values: [1], labels: { trust } };
}

test("the checker itself knows right from wrong", () => {
  assert.equal(wrongness(sampleOf(SITE.stack, "validated", 7), [SITE]), null);
  assert.equal(wrongness(sampleOf(SITE.stack.slice(1), "bracketed", 0), [SITE]), null);
  assert.equal(wrongness(sampleOf([], "unproven", 0), [SITE]), null);
  assert.match(wrongness(sampleOf(SITE.stack, "validated", 8), [SITE]) ?? "", /line 8, not 7/);
  assert.match(wrongness(sampleOf(["gt_bif:b/3", ...SITE.stack.slice(1)], "validated", 7), [SITE]) ?? "", /under/);
  assert.match(wrongness(sampleOf(SITE.stack.slice(1), "validated", 7), [SITE]) ?? "", /under/);
});

const ENGINES = /** @type {const} */ (["bpf", "readv"]);

for (const [release, engine] of OTP_RELEASES.flatMap((each) => ENGINES.map((of) => /** @type {const} */ ([each, of])))) {
  test(`OTP ${release}, ${engine}: no native sample has an Erlang caller it cannot have`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_bif", args: ["exact"] });
    t.after(() => vm.kill());
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const { quality } = await record(vm.pid, { seconds: 6, hz: 997, file, engine });
    const { legal } = await vm.stop();
    const profile = readProfile(file);
    const count = countIndex(profile);
    /** @type {Map<string, number>} */
    const wrong = new Map();
    /** @type {Map<string, {checked: number, wrong: number}>} */
    const byTrust = new Map();
    let checked = 0;
    for (const sample of profile.samples) {
      const native = sample.frames.some((frame) => frame.kind !== "erlang");
      if (!native || !sample.frames.some((frame) => frame.name.startsWith("gt_bif:"))) continue;
      const trust = String(sample.labels.trust);
      const ofTrust = byTrust.get(trust) ?? { checked: 0, wrong: 0 };
      byTrust.set(trust, ofTrust);
      const samples = sample.values[count] ?? 0;
      checked += samples;
      ofTrust.checked += samples;
      const reason = wrongness(sample, legal);
      if (!reason) continue;
      ofTrust.wrong += samples;
      wrong.set(`${trust}: ${reason}`, (wrong.get(`${trust}: ${reason}`) ?? 0) + samples);
    }
    const { with_erlang: proven, samples } = quality.native_in_process;
    t.diagnostic(
      `OTP ${release}, ${engine}: wrong/checked ${[...byTrust].map(([trust, of]) => `${trust} ${of.wrong}/${of.checked}`).join(", ")}; ` +
        `${proven} of ${samples} native samples proven, skid ${JSON.stringify(quality.skid_us)}`,
    );
    assert.ok(checked > 1_000, `only ${checked} samples could be checked`);
    assert.deepEqual([...wrong], []);
  });
}
