// Blocked time (`record --event off-cpu`) compared with a program that waits in NIFs and knows for how long.
import { join } from "node:path";
import { helperJson } from "../e2e/helper.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { engineOption } from "./engines.mjs";
import { summed } from "./quality-sums.mjs";
import { compareShares, upperBound } from "./statistics.mjs";

/** The row of the table. Only one engine records blocked time. */
export const NAPS = { name: "naps", title: "naps in NIFs, blocked time", engine: "bpf" };

/** The functions of gt_known_naps, in the order of its report. */
const FUNCTIONS = ["short_naps", "long_naps", "dirty_naps"].map((name) => `gt_known_naps:${name}/1`);
const ALLOWANCE_POINTS = 1;
/** A block differs from its nap only by the way into the kernel and out of it. */
const MOST_LONGER = 0.02;

/**
 * @typedef {object} NapsSeen   of one recording; figures by function
 * @property {number[]} blocks
 * @property {number[]} nanoseconds
 * @property {number} complete    blocks in NIFs whose stack has no mark
 * @property {number} unproven    of those with one
 * @property {Map<string, number>} wrong   blocks that the program cannot have, by reason
 */

/** @param {import("../pprof-reader.mjs").Profile} profile @returns {NapsSeen} */
export function judgeNaps({ samples, sampleTypes }) {
  /** @type {NapsSeen} */
  const seen = {
    blocks: FUNCTIONS.map(() => 0),
    nanoseconds: FUNCTIONS.map(() => 0),
    complete: 0,
    unproven: 0,
    wrong: new Map(),
  };
  const [ofBlocks, ofTime] = ["off_cpu_blocks", "off_cpu"].map((type) => sampleTypes.indexOf(type));
  for (const { frames, labels, values } of samples) {
    if (labels["off_cpu"] !== "blocked" || !frames.some(({ kind }) => kind === "nif")) continue;
    const blocks = values[ofBlocks ?? -1] ?? 0;
    if (frames.some(({ kind }) => kind === "marker")) {
      seen.unproven += blocks;
      continue;
    }
    seen.complete += blocks;
    const callers = FUNCTIONS.filter((name) => frames.some((frame) => frame.name === name));
    const isDirty = String(labels["scheduler"]).startsWith("dirty-io ");
    const [caller = ""] = callers;
    const reason =
      callers.length !== 1
        ? `${callers.length} of the functions that nap`
        : isDirty !== (caller === FUNCTIONS.at(-1))
          ? `${caller} on scheduler ${labels["scheduler"]}`
          : null;
    if (reason !== null) {
      seen.wrong.set(reason, (seen.wrong.get(reason) ?? 0) + blocks);
      continue;
    }
    const place = FUNCTIONS.indexOf(caller);
    seen.blocks[place] = (seen.blocks[place] ?? 0) + blocks;
    seen.nanoseconds[place] = (seen.nanoseconds[place] ?? 0) + (values[ofTime ?? -1] ?? 0);
  }
  return seen;
}

/**
 * @param {import("./workloads.mjs").Plan} plan
 * @returns {Promise<Omit<import("./report.mjs").Row, "release" | "engine" | "name" | "date">>}
 */
export async function measureNaps({ release, engine, hz, seconds, recordings, more = 0, enough = 0, folder }) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_known_naps" });
  const qualities = [];
  /** @type {NapsSeen[]} */
  const all = [];
  /** Of the program, from before a recording until after it. @type {{naps: number[], nanoseconds: number[]}[]} */
  const known = [];
  // A batch is one recording: its ends leave out the same time of all functions.
  const shares = () =>
    compareShares(
      all.map(({ nanoseconds }, index) => ({ seen: nanoseconds, trueNs: known[index]?.nanoseconds ?? [] })),
    ).map((share, place) => ({ name: FUNCTIONS[place] ?? "?", ...share }));
  try {
    for (let number = 0; number < recordings + more; number++) {
      if (number >= Math.max(recordings, 3) && shares().every(({ halfWidth }) => halfWidth <= enough)) break;
      const file = join(folder, `naps-${release}-${number}.pb.gz`);
      const options = ["-d", seconds, "-F", hz, ...engineOption(engine), "--event", "cpu,off-cpu"];
      const before = await vm.report();
      const { quality } = await helperJson(["record", vm.pid, ...options, "--force", "-o", file]);
      const after = await vm.report();
      const since = (/** @type {"naps" | "nanoseconds"} */ figure) =>
        FUNCTIONS.map((_, place) => after[figure][place] - before[figure][place]);
      known.push({ naps: since("naps"), nanoseconds: since("nanoseconds") });
      qualities.push(quality);
      all.push(judgeNaps(readProfile(file)));
    }
  } finally {
    vm.kill();
  }
  return napsRow(all, known, qualities, all.length < 3 ? [] : shares());
}

/** @param {NapsSeen[]} all @param {{naps: number[], nanoseconds: number[]}[]} known @param {any[]} qualities @param {import("./report.mjs").Row["shares"]} shares */
function napsRow(all, known, qualities, shares) {
  const total = (/** @type {(seen: NapsSeen) => number} */ of) => all.reduce((sum, seen) => sum + of(seen), 0);
  const { lost, skidMicros } = summed(qualities);
  /** @type {Map<string, number>} */
  const reasons = new Map();
  for (const [reason, blocks] of all.flatMap(({ wrong }) => [...wrong]))
    reasons.set(reason, (reasons.get(reason) ?? 0) + blocks);
  const wrong = [...reasons.values()].reduce((sum, blocks) => sum + blocks, 0);
  const [complete, unproven] = [total((seen) => seen.complete), total((seen) => seen.unproven)];
  const longer = FUNCTIONS.map((_, place) => {
    const nap = mean(known.map(({ naps, nanoseconds }) => [naps[place] ?? 0, nanoseconds[place] ?? 0]));
    const block = mean(all.map(({ blocks, nanoseconds }) => [blocks[place] ?? 0, nanoseconds[place] ?? 0]));
    return block / nap - 1;
  });
  const [least = NaN, most = NaN] = [Math.min(...longer), Math.max(...longer)];
  const faults = [...reasons].map(([reason, blocks]) => `wrong: ${reason} (${blocks} blocks)`);
  if (!(Math.abs(least) <= MOST_LONGER && Math.abs(most) <= MOST_LONGER))
    faults.push(`blocks are longer than naps by ${percent(least)} to ${percent(most)}`);
  if (shares.length === 0) faults.push("too few recordings to tell shares");
  for (const { name, error, halfWidth } of shares)
    if (!(Math.abs(error) <= halfWidth + ALLOWANCE_POINTS)) faults.push(`${name} is off by ${error.toFixed(2)} points`);
  return {
    title: `${NAPS.title}; a block is longer than its nap by ${percent(least)} to ${percent(most)}`,
    samples: complete + unproven,
    inProcess: complete + unproven,
    complete,
    unproven,
    lost: lost + qualities.reduce((sum, quality) => sum + quality.off_cpu.losses, 0),
    skidMicros,
    checked: complete,
    wrong,
    wrongBound: upperBound(wrong, complete),
    reasons: [...reasons].map(([reason, blocks]) => `${reason} (${blocks})`),
    allowancePoints: ALLOWANCE_POINTS,
    shares,
    slope: null,
    overheadPercent: null,
    faults,
  };
}

/** @param {[number, number][]} of   how many, and the sum */
const mean = (of) => of.reduce((sum, [, each]) => sum + each, 0) / of.reduce((sum, [count]) => sum + count, 0);
/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(2)} %`;
