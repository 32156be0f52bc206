// Shares and completeness of a VM whose calls are traced, beside those of the same VM without tracing: by each kind of
// tracing, release and engine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, recordEnough, samplesIn } from "./enough.mjs";
import { temporaryFolder } from "./helper.mjs";
import { LAST_CALLS, ONE_BY_ONE, TOGETHER } from "./traced-kinds.mjs";

/** @typedef {import("../vms/otp.mjs").OtpRelease} OtpRelease */
/** @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample */

const ENGINES = /** @type {const} */ (["bpf", "readv"]);
/** Of the process whose calls are traced. */
const SAMPLES = 1500;
/** On the stack all the time, except the moments between two rounds. */
const FUNCTIONS = ["gt_traced:work/2", "gt_traced:render/2", "gt_traced:handle_event/1", "gt_traced:loop/1"];
/** Percent of the samples in a process; what `readv` lacks without tracing, as on a busy machine, it may lack with it, too. */
const LEAST_COMPLETE = 95;
/** Standard deviations between two captures of the same load: one comparison in 15,000 is further off by chance. */
const DEVIATIONS = 4;
/** A return from a traced call takes time below its caller, which is none of the call's. */
const OF_RETURNS = 0.03;

/** @param {ProfileSample} sample @param {string} name */
const shows = ({ frames }, name) => frames.some((frame) => frame.name === name);

/** Of `readv`: a stack that is not proven has no Erlang frame, or its outer ones alone. @param {ProfileSample} sample */
const isProven = ({ labels }) => labels.trust !== "unproven" && labels.trust !== "bracketed";

/**
 * @param {import("node:test").TestContext} t @param {OtpRelease} release @param {string} kind
 * @param {(typeof ENGINES)[number]} engine @param {"gt_traced" | "gt_traced_last"} [module]
 */
async function captured(t, release, kind, engine, module = "gt_traced") {
  const vm = await runErl({ otp: await prepareOtp(release), module, args: [kind] });
  try {
    const file = join(temporaryFolder(t), `${kind}-${engine}.pb.gz`);
    const isProof = (/** @type {ProfileSample} */ sample) => isProven(sample) && shows(sample, `${module}:loop/1`);
    const { quality } = await recordEnough(
      vm.pid,
      { hz: 997, file, engine },
      "samples of the traced process",
      (profile) => samplesIn(profile, isProof) >= SAMPLES,
    );
    const profile = readProfile(file);
    const pid = profile.samples.find(isProof)?.labels.pid;
    const proven = { ...profile, samples: profile.samples.filter((one) => one.labels.pid === pid && isProven(one)) };
    const all = samplesIn(proven);
    const { erlang, native_in_process: native } = quality;
    return {
      quality,
      complete: (100 * (erlang.complete + native.complete)) / (erlang.samples + native.samples),
      shares: FUNCTIONS.map((name) => {
        const share = samplesIn(proven, (sample) => shows(sample, name)) / all;
        // A share near all of them is as uncertain as one that lacks ten.
        const uncertain = Math.min(share, 1 - 10 / all);
        return { name, share, variance: (uncertain * (1 - uncertain)) / all };
      }),
    };
  } finally {
    vm.kill();
  }
}

/** @typedef {Awaited<ReturnType<typeof captured>>} Captured */

/**
 * @param {import("node:test").TestContext} t @param {string} where @param {(typeof ENGINES)[number]} engine
 * @param {Captured} traced @param {Captured} without @param {string} [more]   to report
 */
function assertComplete(t, where, engine, { quality, complete }, without, more = "") {
  assertCountsAddUp(quality);
  t.diagnostic(`${where}: ${complete.toFixed(1)} % complete, without tracing ${without.complete.toFixed(1)}${more}`);
  const least = engine === "bpf" ? LEAST_COMPLETE : LEAST_COMPLETE - (100 - without.complete);
  assert.ok(complete >= least, `${where}: ${complete} % complete, at least ${least}: ${JSON.stringify(quality)}`);
}

for (const release of ALL_OTP_RELEASES)
  for (const engine of ENGINES)
    test(`OTP ${release}, ${engine}: by each kind of tracing, shares and completeness are those without`, async (t) => {
      const without = await captured(t, release, "none", engine);
      assert.equal(without.quality.traced ?? 0, 0);
      for (const { kind } of [TOGETHER, ...ONE_BY_ONE].filter(({ since }) => since <= Number(release))) {
        const traced = await captured(t, release, kind, engine);
        const shares = traced.shares.map(({ name, share }) => `; ${name} ${(100 * share).toFixed(1)} %`).join("");
        assertComplete(t, `OTP ${release}, ${engine}, ${kind}`, engine, traced, without, shares);
        for (const [index, { name, share, variance }] of traced.shares.entries()) {
          const other = without.shares[index] ?? assert.fail(name);
          const tolerated = DEVIATIONS * Math.sqrt(variance + other.variance) + OF_RETURNS;
          assert.ok(
            Math.abs(share - other.share) <= tolerated,
            `${kind}, ${name}: ${share}, without tracing ${other.share}`,
          );
        }
      }
    });

for (const release of OTP_RELEASES)
  for (const engine of ENGINES)
    test(`OTP ${release}, ${engine}: of traced functions that call each other last, completeness is that without`, async (t) => {
      const module = "gt_traced_last";
      const without = await captured(t, release, "none", engine, module);
      assert.equal(without.quality.traced ?? 0, 0);
      for (const kind of LAST_CALLS) {
        const traced = await captured(t, release, kind, engine, module);
        assertComplete(t, `OTP ${release}, ${engine}, calls made last, ${kind}`, engine, traced, without);
      }
    });
