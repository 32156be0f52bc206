// The conditions under which a measurement passes, and its result in words.
import { upperBound } from "./statistics.mjs";

/** @typedef {import("./measure.mjs").Seen} Seen */
/** @typedef {import("./workloads.mjs").Workload} Workload */
/** @typedef {import("./workloads.mjs").Engine} Engine */

/** An interval wider than this to each side is no basis to pass or fail, percentage points. */
const WIDEST_POINTS = 5;
const SLOPE_ALLOWANCE = 0.03;
const WIDEST_SLOPE = 0.06;
const LEAST_ERLANG_COMPLETE = 0.995;
/** With `readv` an interpreter's whole stack is read late: of a life of 20 microseconds it may be gone. */
const LATE = { leastErlangComplete: 0.98, mostWithoutPid: 0.01 };
/** So few are no rate: a load that does little but call C has some dozen samples in Erlang code. */
const FEW_SAMPLES = 2;
/**
 * Of the samples in C code of a process. Unproven stacks are marked: with readv those that changed before they were
 * read, with bpf those that the collector is just moving over itself.
 */
const LEAST_NATIVE_COMPLETE = { readv: 0.85, bpf: 0.98 };
export const LEAST_CHECKED = 500;
/** A process that was sampled in Erlang code may have ended before a late read of its pid. */
const MOST_WITHOUT_PID = { readv: 0.002, bpf: 0 };

/**
 * Faults that must not be on any machine, however busy: empty when all is well.
 * @param {Workload} workload
 * @param {Engine} engine
 * @param {Seen} seen
 * @returns {string[]}
 */
export function untruthsOf(workload, engine, seen) {
  const faults = [...seen.reasons].map(([reason, samples]) => `wrong: ${reason} (${samples} samples)`);
  const { erlang, native } = seen;
  if (native.complete + native.bracketed + native.unproven !== native.samples)
    faults.push("a sample in C code is neither proven nor marked");
  if (engine !== "bpf") return faults;
  // The stack is copied in the interrupt that takes the sample: no load moves how much of it is
  // known. Load can only keep the collector away until samples are lost, or have lost their capture.
  const away = seen.unmatched + seen.lost;
  if (seen.withoutPid > MOST_WITHOUT_PID.bpf * seen.checked + away)
    faults.push(`${seen.withoutPid} of ${seen.checked} samples without their process`);
  if (workload.beyond) return faults;
  const isShort = (
    /** @type {{complete: number, samples: number}} */ { complete, samples },
    /** @type {number} */ least,
  ) => complete + away + FEW_SAMPLES < least * samples - chance(samples, least);
  if (isShort(erlang, LEAST_ERLANG_COMPLETE)) faults.push(`Erlang complete ${erlang.complete}/${erlang.samples}`);
  if (isShort(native, LEAST_NATIVE_COMPLETE.bpf)) faults.push(`C code complete ${native.complete}/${native.samples}`);
  return faults;
}

/**
 * Why a measurement fails; empty when it passes.
 * @param {Workload} workload
 * @param {Engine} engine
 * @param {Seen} seen
 * @returns {string[]}
 */
export function faultsOf(workload, engine, seen) {
  const faults = [...untruthsOf(workload, engine, seen), ...ratesMissed(workload, engine, seen)];
  return [...new Set(faults)];
}

/**
 * Rates and shares outside of their limits. Other work on the machine moves them.
 * @param {Workload} workload
 * @param {Engine} engine
 * @param {Seen} seen
 * @returns {string[]}
 */
export function ratesMissed(workload, engine, seen) {
  const faults = [];
  if (seen.checked < LEAST_CHECKED) faults.push(`only ${seen.checked} samples could be checked`);
  const isLate = engine === "readv" && seen.isInterpreted;
  const leastErlang = isLate ? LATE.leastErlangComplete : LEAST_ERLANG_COMPLETE;
  if (seen.withoutPid > (isLate ? LATE.mostWithoutPid : MOST_WITHOUT_PID[engine]) * seen.checked)
    faults.push(`${seen.withoutPid} of ${seen.checked} samples without their process`);
  const { erlang, native } = seen;
  if (!workload.beyond) {
    if (erlang.complete + FEW_SAMPLES < leastErlang * erlang.samples)
      faults.push(`Erlang complete ${erlang.complete}/${erlang.samples}`);
    // A system call that writes to the C stack leaves a late read of an interpreter's process
    // unproven. A program of short lives reads its clock all the time: that is not the load.
    const ofLoad = native.samples - (engine === "readv" ? seen.unprovenInClock : 0);
    const least =
      LEAST_NATIVE_COMPLETE[engine] * ofLoad - (engine === "readv" ? chance(ofLoad, LEAST_NATIVE_COMPLETE.readv) : 0);
    if (native.complete < least) faults.push(`C code complete ${native.complete}/${ofLoad}`);
  }
  if (workload.split && !workload.ladder && seen.shares.length === 0) faults.push("too few batches to tell shares");
  if (workload.ladder && seen.slope === null) faults.push("too few batches to tell a slope");
  for (const { name, error, halfWidth } of seen.shares) {
    if (halfWidth > WIDEST_POINTS) faults.push(`${name}: an interval of +-${halfWidth.toFixed(1)} points says nothing`);
    else if (Math.abs(error) > halfWidth + workload.allowancePoints[engine])
      faults.push(`${name} is off by ${signed(error)} points`);
  }
  if (seen.slope !== null) {
    const { slope, halfWidth } = seen.slope;
    if (halfWidth > WIDEST_SLOPE) faults.push(`a slope known to +-${halfWidth.toFixed(3)} says nothing`);
    else if (Math.abs(slope - 1) > SLOPE_ALLOWANCE) faults.push(`slope ${slope.toFixed(3)}`);
  }
  return faults;
}

/**
 * Expected, seen and interval, line by line.
 * @param {Workload} workload
 * @param {Engine} engine
 * @param {Seen} seen
 */
export function describe(workload, engine, seen) {
  const allowance = workload.allowancePoints[engine];
  const possible = upperBound(seen.wrong, seen.checked);
  return [
    `${seen.samples} samples; complete ${seen.complete} of ${seen.inProcess}, unproven ${seen.unproven}; ` +
      `wrong ${seen.wrong} of ${seen.checked} (at most ${(100 * possible).toFixed(2)} %); skid ${seen.skidMicros.p50}/${seen.skidMicros.p99} us`,
    ...seen.shares.map(
      ({ name, expected, seen: shown, error, halfWidth }) =>
        `${name}: expected ${expected.toFixed(2)} %, seen ${shown.toFixed(2)} %, off by ${signed(error)} +- ${halfWidth.toFixed(2)} points (99 %), stated ${allowance}`,
    ),
    ...(seen.slope === null
      ? []
      : [
          `slope expected 1, seen ${seen.slope.slope.toFixed(3)} +- ${seen.slope.halfWidth.toFixed(3)} (99 %), stated ${SLOPE_ALLOWANCE}`,
        ]),
  ];
}

/** How many fewer than a share of so many samples chance may leave: three standard errors. @param {number} samples @param {number} share */
const chance = (samples, share) => 3 * Math.sqrt(samples * share * (1 - share));

/** @param {number} points */
const signed = (points) => `${points < 0 ? "-" : "+"}${Math.abs(points).toFixed(2)}`;
