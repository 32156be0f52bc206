// Runs one workload on one VM under one engine and returns the figures of its captures. The quick tests and
// `npm run accuracy` measure with this and nothing else.
import { join } from "node:path";
import { helperJson, sleep } from "../e2e/helper.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { engineOption } from "./engines.mjs";
import { checkerOf } from "./legality.mjs";
import { summed } from "./quality-sums.mjs";
import { compareShares, fitLine, rangeOf } from "./statistics.mjs";
import { batchesOf, workRate } from "./timeline.mjs";
import { NO_PID } from "./workloads.mjs";

/** The attaching before a recording and the writing after it are in neither kind of phase. */
const PHASE_EDGE_NS = 500e6;

/**
 * @typedef {import("./workloads.mjs").Workload} Workload
 * @typedef {import("./workloads.mjs").Plan} Plan
 *
 * @typedef {object} Seen
 * @property {number} samples
 * @property {number} inProcess   samples in Erlang or C code of a process
 * @property {number} complete    of those, with the whole Erlang stack
 * @property {number} unproven    of those, without a proven Erlang stack
 * @property {{samples: number, complete: number}} erlang
 * @property {{samples: number, complete: number, bracketed: number, unproven: number}} native
 * @property {number} checked     samples whose stack the rules of the workload judge
 * @property {number} wrong       of those
 * @property {Map<string, number>} reasons   why, with samples
 * @property {number} unprovenInClock   samples in the system call of the clock the program times itself by
 * @property {boolean} isInterpreted   by the VM's own account: its stacks are never in the samples
 * @property {number} withoutPid  samples that should name their process, and do not
 * @property {number} lost
 * @property {number} unmatched   samples without their capture; none with readv
 * @property {{p50: number, p99: number}} skidMicros
 * @property {({name: string} & import("./statistics.mjs").Share)[]} shares
 * @property {{slope: number, halfWidth: number} | null} slope       shown share over true share
 * @property {ReturnType<typeof rangeOf> | null} overheadPercent   of the target
 */

/** The function of gt_cpu's library that reads the time from the kernel. */
const OWN_CLOCK = "read_clock";

/**
 * @param {Workload} workload
 * @param {Plan} plan
 * @returns {Promise<Seen>}
 */
export async function measure(workload, plan) {
  const runs = [];
  for (const factor of workload.ladder ?? [null]) {
    runs.push(await measureOne(workload, factor === null ? workload.args : [factor, ...workload.args], plan));
  }
  const shares = workload.split && !workload.ladder ? (runs[0]?.shares ?? []) : [];
  const qualities = runs.flatMap((run) => run.qualities);
  /** @type {Map<string, number>} */
  const reasons = new Map();
  for (const [reason, samples] of runs.flatMap((run) => [...run.reasons]))
    reasons.set(reason, (reasons.get(reason) ?? 0) + samples);
  const overheads = runs.flatMap((run) => run.overheads);
  return {
    ...summed(qualities),
    checked: runs.reduce((sum, run) => sum + run.checked, 0),
    wrong: [...reasons.values()].reduce((sum, samples) => sum + samples, 0),
    reasons,
    unprovenInClock: runs.reduce((sum, run) => sum + run.unprovenInClock, 0),
    isInterpreted: runs.some((run) => run.isInterpreted),
    withoutPid: runs.reduce((sum, run) => sum + run.withoutPid, 0),
    shares,
    slope: workload.ladder ? slopeOf(runs.flatMap((run) => ladderPoints(run.batches))) : null,
    overheadPercent: overheads.length === 0 ? null : rangeOf(overheads),
  };
}

/**
 * @param {Workload} workload
 * @param {(string | number)[]} args
 * @param {Plan} plan
 */
async function measureOne(
  workload,
  args,
  { release, otp, engine, hz, seconds, recordings, more = 0, enough = 0, leastChecked, gaps = false, folder },
) {
  const vm = await runErl({
    otp: otp ?? (await prepareOtp(release)),
    module: workload.module,
    args,
    emulatorFlags: workload.emulatorFlags ?? [],
  });
  const checker = checkerOf(workload.rules);
  const qualities = [];
  /** @type {import("./timeline.mjs").Recorded[]} */
  const recorded = [];
  /** @type {Map<string, number>} */
  const reasons = new Map();
  let [checked, withoutPid, unprovenInClock] = [0, 0, 0];
  let isInterpreted = false;
  try {
    const began = Date.now() * 1e6;
    for (let number = 0; number < recordings + more; number++) {
      const isOver = async () =>
        leastChecked === undefined ? isEnough(workload, recorded, await vm.report(), enough) : checked >= leastChecked;
      if (number >= recordings && (await isOver())) break;
      if (gaps) await sleep(seconds * 1000);
      const file = join(folder, `${release}-${workload.name}-${number}.pb.gz`);
      const options = ["-d", seconds, "-F", hz, ...engineOption(engine)];
      const { quality } = await helperJson(["record", vm.pid, ...options, "--force", "-o", file]);
      qualities.push(quality);
      const profile = readProfile(file);
      isInterpreted ||= profile.comments.some(
        (comment) => comment.startsWith("extrospect/target ") && comment.includes('"flavor":"emu"'),
      );
      const index = countIndex(profile);
      const unsampled = workload.unsampled && {
        name: workload.unsampled,
        samples: (quality.process_time.missing_ns * hz) / 1e9,
      };
      recorded.push({
        startUnixNs: startOf(profile),
        seconds,
        samples: profile.samples,
        countIndex: index,
        ...(workload.parts && { parts: workload.parts }),
        ...(unsampled && { unsampled }),
      });
      for (const sample of profile.samples) {
        const { relevant, wrong } = checker.check(sample);
        const samples = sample.values[index] ?? 0;
        if (relevant) checked += samples;
        if (sample.labels.trust === "unproven" && sample.frames.some(({ name }) => name === OWN_CLOCK))
          unprovenInClock += samples;
        if (wrong === NO_PID) withoutPid += samples;
        else if (wrong !== null) {
          const reason = `${sample.labels.trust}: ${wrong}`;
          reasons.set(reason, (reasons.get(reason) ?? 0) + samples);
        }
      }
    }
    if (gaps) await sleep(seconds * 1000);
    const { timeline } = await vm.stop();
    const batches = workload.split ? recorded.flatMap((one) => batchesOf(one, timeline)) : [];
    return {
      qualities,
      reasons,
      checked,
      withoutPid,
      unprovenInClock,
      isInterpreted,
      batches,
      shares: workload.split && canBeCompared(batches) ? namedShares(timeline, batches) : [],
      overheads: gaps ? overheadsOf(recorded, timeline, began) : [],
    };
  } finally {
    vm.kill();
  }
}

/** @param {Workload} workload @param {import("./timeline.mjs").Recorded[]} recorded @param {any} report @param {number} enough */
function isEnough(workload, recorded, report, enough) {
  if (!workload.split) return true;
  const batches = recorded.flatMap((one) => batchesOf(one, report.timeline));
  return compareShares(batches).every((share) => share.halfWidth <= enough);
}

/** Whether they are enough for an interval. A VM that hardly ran has too few. @param {import("./statistics.mjs").Batch[]} batches */
const canBeCompared = (batches) =>
  batches.length >= 3 &&
  batches.some(({ seen }) => seen.some((samples) => samples > 0)) &&
  batches.some(({ trueNs }) => trueNs.some((ns) => ns > 0));

/** @param {import("./timeline.mjs").Timeline} timeline @param {import("./statistics.mjs").Batch[]} batches */
function namedShares(timeline, batches) {
  return compareShares(batches).map((share, part) => ({ name: timeline.functions[part] ?? "?", ...share }));
}

/** @param {{x: number, y: number}[]} points */
function slopeOf(points) {
  const known = points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  return new Set(known.map(({ x }) => x)).size >= 4 ? fitLine(known) : null;
}

/** Share of the function that is slowed down, in each batch. @param {import("./statistics.mjs").Batch[]} batches */
function ladderPoints(batches) {
  const share = (/** @type {number[]} */ parts) => (parts[0] ?? 0) / parts.reduce((a, b) => a + b, 0);
  return batches.map(({ seen, trueNs }) => ({ x: share(trueNs), y: share(seen) }));
}

/** How much less work was done in each recording than in the gaps beside it, percent.
 * @param {import("./timeline.mjs").Recorded[]} recorded @param {import("./timeline.mjs").Timeline} timeline @param {number} began */
function overheadsOf(recorded, timeline, began) {
  const ends = recorded.map((one) => one.startUnixNs + one.seconds * 1e9);
  const rate = (/** @type {number} */ from, /** @type {number} */ to) =>
    workRate(timeline, from + PHASE_EDGE_NS, to - PHASE_EDGE_NS);
  const over = timeline.start_unix_ns + timeline.rows.length * timeline.bucket_ns;
  return recorded.map((one, index) => {
    const before = rate(ends[index - 1] ?? began, one.startUnixNs);
    const after = rate(ends[index] ?? 0, recorded[index + 1]?.startUnixNs ?? over);
    const during = workRate(timeline, one.startUnixNs + PHASE_EDGE_NS, (ends[index] ?? 0) - PHASE_EDGE_NS);
    return 100 * (1 - during / ((before + after) / 2));
  });
}

/** When a capture began, by the wall clock. @param {import("../pprof-reader.mjs").Profile} profile */
export function startOf(profile) {
  const prefix = "extrospect/settings ";
  const comment = profile.comments.find((text) => text.startsWith(prefix));
  if (comment === undefined) throw new Error("the capture does not say how it was taken");
  return Number(JSON.parse(comment.slice(prefix.length)).started_unix_ns);
}
