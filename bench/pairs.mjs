// Paired windows with and without a profiler: their order, and the ratio that follows from them. Nothing here measures
// anything.
//
// Four windows in the order off, on, on, off give one difference, from which a steady drift of the machine is gone. Which
// of both begins is drawn for each four: whatever remains of slower drifts, and is the same in neighbours, has either sign
// then, so the differences are independent and their spread is that of their mean.
import { studentQuantile } from "../test/accuracy/statistics.mjs";

/** The share of the differences that is left out at each end: those that another program has disturbed. */
const TRIMMED = 0.2;
/** How wide an interval is wanted, to each side, and the numbers of differences between which it is sought. */
export const WANTED_HALF_WIDTH = 0.003;
const LEAST = 40;
/** Looks at the interval that are this many differences apart: each look is one more chance to end by luck. */
const STEP = 20;
const CONFIDENCE = 0.95;

/** The control: nothing is compared with nothing. */
export const NOTHING = "nothing (control)";

/**
 * @typedef {{ratio: number, halfWidth: number, count: number}} PairedRatio   of the work with over without: its 95 % interval is ratio ± halfWidth
 * @typedef {{hz: number, perCpuSecond: PairedRatio, perSecond: PairedRatio}} Paired   of a profiler with so many samples per second of processor time
 */

/** Numbers in 0..1 that are the same for each seed. @param {number} seed */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Whether each of the next four windows has the profiler. @param {() => number} random @returns {[boolean, boolean, boolean, boolean]} */
export function orderOfFour(random) {
  return random() < 0.5 ? [false, true, true, false] : [true, false, false, true];
}

/**
 * The difference that four windows show: of the logarithms of their rates, with minus without.
 * @param {{isOn: boolean, rate: number}[]} windows
 */
export function differenceOf(windows) {
  const logs = (/** @type {boolean} */ wanted) =>
    windows.filter(({ isOn }) => isOn === wanted).map(({ rate }) => Math.log(rate));
  return meanOf(logs(true)) - meanOf(logs(false));
}

/**
 * The ratio by the trimmed mean of the differences, with the interval of Yuen and Dixon: the spread of the values with
 * the ends drawn in to the last ones that stay.
 * @param {number[]} differences
 * @returns {PairedRatio}
 */
export function ratioOf(differences) {
  const sorted = differences.toSorted((a, b) => a - b);
  const [count, cut] = [sorted.length, Math.floor(TRIMMED * sorted.length)];
  const kept = sorted.slice(cut, count - cut);
  if (kept.length < 2) return { ratio: NaN, halfWidth: NaN, count };
  const drawnIn = sorted.map((value) => Math.min(Math.max(value, kept[0] ?? NaN), kept.at(-1) ?? NaN));
  const centre = meanOf(drawnIn);
  const squares = drawnIn.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const deviation = Math.sqrt(squares / (kept.length * (kept.length - 1)));
  const ratio = Math.exp(meanOf(kept));
  return { ratio, halfWidth: ratio * studentQuantile(CONFIDENCE, kept.length - 1) * deviation, count };
}

/**
 * Whether no further difference is needed.
 * @param {number[]} differences @param {number} most   so many at most
 */
export function isEnough(differences, most) {
  const { length } = differences;
  if (length >= most) return true;
  return length >= LEAST && (length - LEAST) % STEP === 0 && ratioOf(differences).halfWidth <= WANTED_HALF_WIDTH;
}

/**
 * Microseconds by which a sample delays its thread; undefined for no samples.
 * @param {Paired | undefined} paired
 */
export function microsPerSample(paired) {
  if (paired === undefined || paired.hz === 0) return undefined;
  const micros = 1e6 / paired.hz;
  return { us: (1 - paired.perCpuSecond.ratio) * micros, halfWidth: paired.perCpuSecond.halfWidth * micros };
}

/** @param {PairedRatio} paired */
export function pairedText({ ratio, halfWidth, count }) {
  return `${ratio.toFixed(4)} ± ${halfWidth.toFixed(4)} (${count})`;
}

/** @param {number[]} values */
function meanOf(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
