// OTP's own profiler and the helper put the functions of a load in the same order. Each sees a run
// of its own, since tprof slows the code it counts.
//
// Pairs are compared. A pair is tied, and does not count, when the samples cannot distinguish its two functions or
// tprof has them within a tenth of each other; every other pair has to be in the same order in both.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { normalQuantile, percent } from "./proportions.js";
import { record, temporaryFolder } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** Releases that have tprof. */
const RELEASES = ["27", "29"] as const;
const FUNCTIONS = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `gt_tprof:${name}/2`);
const HZ = 997;
const SECONDS = 3;
/** Enough to distinguish most pairs; a machine that is busy otherwise takes more than one recording. */
const SAMPLES_WANTED = 2500;
const MAX_RECORDINGS = 6;
/** Of some 10 ms. The least time of each function counts. */
const TPROF_RUNS = 100;
const TPROF_TIE = 0.1;
/** How often any pair may be called different without being so. */
const MISTAKE_RATE = 0.01;
/** Of the 21 pairs. */
const ORDERED_PAIRS_WANTED = 18;

interface Pair {
  text: string;
  isTied: boolean;
  agrees: boolean;
}

/** @param z half the width of the interval of a difference, in standard deviations */
function comparePair(
  one: string,
  other: string,
  times: ReadonlyMap<string, number>,
  samples: ReadonlyMap<string, number>,
  z: number,
): Pair {
  const [timeA, timeB] = [times.get(one) ?? 0, times.get(other) ?? 0];
  const [a, b] = [samples.get(one) ?? 0, samples.get(other) ?? 0];
  // Of samples in either, each is in the one or the other: their difference has the variance a + b.
  const margin = z * Math.sqrt(a + b);
  const isTied = Math.abs(a - b) <= margin || Math.abs(timeA - timeB) <= TPROF_TIE * Math.max(timeA, timeB);
  const text = `${one} and ${other}: expected ${timeA} and ${timeB} us (tprof), seen ${a} and ${b} samples, difference ${a - b} +- ${margin.toFixed(0)}${isTied ? ", tied" : ""}`;
  return { text, isTied, agrees: isTied || timeA > timeB === a > b };
}

test("a pair in another order is found, and one that cannot be distinguished does not count", () => {
  const [times, z] = [
    new Map([
      ["a", 100],
      ["b", 200],
    ]),
    3,
  ];
  const pair = (a: number, b: number): Pair =>
    comparePair(
      "a",
      "b",
      times,
      new Map([
        ["a", a],
        ["b", b],
      ]),
      z,
    );
  assert.deepEqual([pair(100, 200).agrees, pair(100, 200).isTied], [true, false]);
  assert.equal(pair(200, 100).agrees, false);
  assert.deepEqual([pair(110, 100).agrees, pair(110, 100).isTied], [true, true]);
});

for (const release of releasesOf(RELEASES, "29")) {
  test(`OTP ${release}: tprof has the functions in the same order`, async (t) => {
    const otp = await prepareOtp(release);
    const measuring = await runErl({ otp, module: "gt_tprof", args: ["tprof", TPROF_RUNS] });
    t.after(() => measuring.kill());
    const times = new Map<string, number>(Object.entries((await measuring.report()).own_us));
    measuring.kill();

    const load = await runErl({ otp, module: "gt_tprof", args: ["load"] });
    t.after(() => load.kill());
    const folder = temporaryFolder(t);
    const samples = new Map<string, number>();
    for (let taken = 0; taken < MAX_RECORDINGS && sum(samples) < SAMPLES_WANTED; taken += 1) {
      const file = join(folder, `${taken}.pb.gz`);
      await record(load.pid, { seconds: SECONDS, hz: HZ, file });
      addSelfSamples(samples, file);
    }
    load.kill();
    const [allTime, allSamples] = [sum(times), sum(samples)];
    for (const name of FUNCTIONS) {
      t.diagnostic(
        `${name}: expected ${percent((times.get(name) ?? 0) / allTime)} (tprof), seen ${percent((samples.get(name) ?? 0) / allSamples)}`,
      );
    }
    const names = FUNCTIONS.flatMap((one, index) => FUNCTIONS.slice(index + 1).map((other) => [one, other] as const));
    const z = normalQuantile(1 - MISTAKE_RATE / (2 * names.length));
    const pairs = names.map(([one, other]) => comparePair(one, other, times, samples, z));
    const tied = pairs.filter(({ isTied }) => isTied);
    t.diagnostic(
      `${allSamples} samples, ${pairs.length - tied.length} of ${pairs.length} pairs in order, ${tied.length} tied, z ${z.toFixed(2)}`,
    );
    for (const { text } of tied) t.diagnostic(text);
    assert.deepEqual(
      pairs.filter(({ agrees }) => !agrees).map(({ text }) => text),
      [],
    );
    assert.ok(pairs.length - tied.length >= ORDERED_PAIRS_WANTED, `${tied.length} pairs are tied`);
  });
}

const sum = (of: ReadonlyMap<string, number>): number => FUNCTIONS.reduce((all, name) => all + (of.get(name) ?? 0), 0);

/** Adds the samples of a capture by the function that ran. */
function addSelfSamples(samples: Map<string, number>, file: string): void {
  const profile = readProfile(file);
  const count = countIndex(profile);
  for (const { frames, values } of profile.samples) {
    const leaf = frames.find(({ kind }) => kind !== "kernel");
    if (leaf !== undefined) samples.set(leaf.rawName, (samples.get(leaf.rawName) ?? 0) + (values[count] ?? 0));
  }
}
