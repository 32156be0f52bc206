// The sections of docs/measurements.md on comparisons and gates, each made by a program of its own. Text only; nothing is
// measured here.
import { PROJECTS } from "./projects/releases.mjs";
import { table } from "./table.mjs";

const REAL_GATE = "A gate on a real repository";
const SAME_PROGRAM = "One program compared with itself";
const POWER = "The smallest change that is found";
const BISECTIONS = "Bisections";
const RECIPE_GATES = "Gates of the recipes";
const RECIPE_GATES_BESIDE = "Gates of the recipes, beside other work";

/** The program of each section, in the order of the page. @type {Record<string, string>} */
export const COMPARING_PROGRAMS = {
  [REAL_GATE]: "real-gate.mjs",
  ...Object.fromEntries(Object.keys(PROJECTS).map((name) => [releasesTitle(name), "releases.mjs"])),
  [SAME_PROGRAM]: "comparisons.mjs",
  [POWER]: "comparisons.mjs",
  [BISECTIONS]: "bisections.mjs",
  [RECIPE_GATES]: "ci-gates.mjs",
  [RECIPE_GATES_BESIDE]: "ci-gates.mjs",
};

/** @param {string} name */
function releasesTitle(name) {
  return `Two releases of ${name}`;
}

/**
 * @typedef {import("./recipe.mjs").Answer} Answer
 *
 * @typedef {object} GateRow   what the job answered for one commit
 * @property {string} commit
 * @property {string} subject
 * @property {{percent: number, function: string, rounds: number} | null} planted
 * @property {{changePct: number | null, halfWidthPct: number | null}} clock   null where it was not measured
 * @property {Answer} job
 * @property {{condition: string, answer: Answer, met_by: string[]}[]} gates
 * @property {{change: number | null, low: number | null, high: number | null}} whole   null where a side has nothing
 * @property {number} seconds
 */

const ANSWERS = { holds: "holds", does_not_hold: "does not hold", cannot_tell: "cannot tell" };

/** @param {{project: string, date: string, release: string, machine: string, pairs: number, seconds: number, rows: GateRow[]}} results */
export function realGateSection({ project, date, release, machine, pairs, seconds, rows }) {
  const conditions = rows[0]?.gates.map(({ condition }) => condition) ?? [];
  const cells = rows.map(({ commit, subject, planted, clock, job, gates, whole, seconds: taken }) => [
    `${commit.slice(0, 7)} ${subject.replaceAll("|", "\\|")}`,
    planted === null ? "" : `${planted.percent} %, \`${planted.function}\``,
    clock.changePct === null || clock.halfWidthPct === null
      ? "not measured"
      : `${clock.changePct.toFixed(1)} ± ${clock.halfWidthPct.toFixed(1)} %`,
    ANSWERS[job],
    ...gates.map(({ answer }) => ANSWERS[answer]),
    whole.change === null || whole.low === null || whole.high === null
      ? "not known"
      : `${whole.change.toFixed(1)} % (${whole.low.toFixed(1)} … ${whole.high.toFixed(1)})`,
    taken.toFixed(0),
  ]);
  const counted = (/** @type {GateRow[]} */ some) =>
    Object.entries(ANSWERS)
      .map(([answer, text]) => `${text} ${some.filter(({ job }) => job === answer).length}`)
      .join(", ");
  const planted = rows.filter((row) => row.planted !== null);
  const others = rows.filter((row) => row.planted === null);
  return `## ${REAL_GATE}

Measured on ${date}.

\`node bench/real-gate.mjs\`: the job of [the recipes](compare.md#in-ci), ${pairs} pairs of ${seconds} s, for each of ${rows.length} commits of ${project} against the commit before it, newest first. A planted commit has a function that does so much more work, as a fixed number of rounds. The clock is the kernel's, for runs in pairs without a capture. OTP ${release}; ${machine}.

The job, with a planted regression (${planted.length}): ${counted(planted)}. Without (${others.length}), where a commit may be slower or faster by itself: ${counted(others)}.

${table(["commit", "planted", "by the clock", "the job", ...conditions.map((condition) => `\`${condition}\``), "the whole, measured", "s"], cells)}`;
}

/** @typedef {{section: string, truePct: number, change_pct: number | null, low_pct: number | null, high_pct: number | null, verdict: string}} SectionRow   of a driver; null where a side has nothing */

/** By how much the clock has to show that a section is faster, percent. */
const FASTER_PCT = 1;

/** @param {{name: string, project: import("./projects/releases.mjs").Project, date: string, release: string, machine: string, pairs: number, seconds: number, rows: SectionRow[]}} results */
export function releasesSection({ name, project, date, release, machine, pairs, seconds, rows }) {
  const holds = (/** @type {SectionRow} */ { truePct, low_pct: low, high_pct: high }) =>
    low !== null && high !== null && low <= truePct && truePct <= high;
  const cells = rows.map((row) => [
    row.section,
    project.faster.includes(row.section) ? "faster" : "",
    row.truePct.toFixed(1),
    row.change_pct?.toFixed(1) ?? "not known",
    row.low_pct === null || row.high_pct === null
      ? "not known"
      : `${row.low_pct.toFixed(1)} … ${row.high_pct.toFixed(1)}`,
    row.verdict,
    holds(row) ? "yes" : "no",
  ]);
  const noted = rows.filter(({ section }) => project.faster.includes(section));
  const byClock = noted.filter(({ truePct }) => truePct <= -FASTER_PCT);
  const contrary = rows.filter(
    ({ verdict, truePct }) => (verdict === "slower" && truePct < 0) || (verdict === "faster" && truePct > 0),
  );
  return `## ${releasesTitle(name)}

Measured on ${date}.

\`node bench/releases.mjs --project ${name}\`: ${project.base} and ${project.new} of ${project.url}, ${pairs} pairs of ${seconds} s, by CPU time per round of fixed work; the truth is the VM's own processor clock around each section. OTP ${release}; ${machine}.

The notes of ${project.new}, ${project.notes}.

Of ${noted.length} sections that are faster by these notes, ${byClock.length} are so by the clock, of which ${byClock.filter(({ verdict }) => verdict === "faster").length} have the verdict \`faster\`. ${rows.filter(holds).length} of ${rows.length} intervals contain the truth; ${contrary.length} verdicts are contrary to it.

${table(["section", "release notes", "true change %", "measured %", "interval", "verdict", "contains the truth"], cells)}`;
}

/** @typedef {{captures_a_side: number, paired: boolean, drawn: boolean, comparisons: number, claiming_a_change: number, of_the_whole: number, whole_without_0: number, intervals: number, without_0: number}} SameRow   `without_0`: intervals of functions that do not contain 0 */

/** @param {{seconds: number, machine: string, release: string, hz: number, date: string, table: SameRow[]}} results */
export function sameProgramSection({ seconds, machine, release, hz, date, table: rows }) {
  const cells = rows.map((row) => [
    `${row.captures_a_side} ${row.paired ? "pairs" : "a side"}${row.drawn ? ", drawn" : ""}`,
    String(row.comparisons),
    String(row.claiming_a_change - row.of_the_whole),
    String(row.of_the_whole),
    String(row.whole_without_0),
    `${row.without_0} of ${row.intervals}${row.intervals === 0 ? "" : ` (${((100 * row.without_0) / row.intervals).toFixed(1)} %)`}`,
  ]);
  return `## ${SAME_PROGRAM}

Measured on ${date}.

\`node bench/comparisons.mjs null\`: captures of ${seconds} s at ${hz} Hz of the demo, each of a VM of its own, OTP ${release}; ${machine}. Comparisons of one row share no capture, except drawn ones. By the method at most 5 % of comparisons claim a change of a function, and 1 % one of the whole, whose interval is a 99 % interval; of the 95 % intervals of functions at most 5 % do not contain 0.

${table(["captures", "comparisons", "claim a function alone", "claim the whole", "intervals of the whole without 0", "intervals of functions without 0"], cells)}`;
}

/** @typedef {{seconds: number, captures_a_side: number, paired: boolean, comparisons: number, found: Record<string, number>, smallest_found_9_of_10: number | null, claimed_the_contrary: number}} PowerRow   `found`: by percent, the part of the comparisons */

/** @param {{machine: string, release: string, hz: number, date: string, runs: number, table: PowerRow[]}} results */
export function powerSection({ machine, release, hz, date, runs, table: rows }) {
  const percents = Object.keys(rows[0]?.found ?? {}).toSorted((a, b) => Number(a) - Number(b));
  const cells = rows.map((row) => [
    `${row.seconds} s`,
    `${row.captures_a_side} ${row.paired ? "pairs" : "a side"}`,
    String(row.comparisons),
    ...percents.map((percent) => `${Math.round((row.found[percent] ?? 0) * 100)} %`),
    row.smallest_found_9_of_10 === null ? "none" : `${row.smallest_found_9_of_10} %`,
    String(row.claimed_the_contrary),
  ]);
  return `## ${POWER}

Measured on ${date}.

\`node bench/comparisons.mjs power\`: functions with 6 % of the time each, which are slower by a known percentage; how often each has the verdict \`slower\`, with and without pairs. ${hz} Hz, ${runs} runs of each version, OTP ${release}; ${machine}. Each way to choose captures of the runs is a comparison, so those of one row share captures.

${table(["capture", "captures", "comparisons", ...percents.map((percent) => `${percent} %`), "found 9 times of 10", "contrary"], cells)}`;
}

/** @typedef {{culprit: number, right: boolean, wrong: boolean, steps: number, unknown: number, load: number | undefined}} Bisection */

/** @param {{date: string, machine: string, release: string, captures: number, seconds: number, slower: number, measure: string, once: boolean, results: Bisection[]}} all */
export function bisectionsSection({ date, machine, release, captures, seconds, slower, measure, once, results }) {
  const count = (/** @type {(result: Bisection) => boolean} */ is) => results.filter(is).length;
  const sum = (/** @type {(result: Bisection) => number} */ of) => results.reduce((all, each) => all + of(each), 0);
  const cells = results.map(({ culprit, right, wrong, steps, unknown, load }) => [
    String(culprit),
    right ? "found" : wrong ? "another commit named" : "none named",
    String(steps),
    String(unknown),
    load?.toFixed(1) ?? "not known",
  ]);
  return `## ${BISECTIONS}

Measured on ${date}.

\`node bench/bisections.mjs\`: six commits of a small program, one of which makes a function with a third of the time ${slower} % slower; ${once ? `the good commit captured once, ${captures} captures` : `${captures} pairs in each step`} of ${seconds} s, by ${measure}, limit ${Math.round(slower / 3)} %. OTP ${release}; ${machine}.

Of ${results.length} bisections ${count(({ right }) => right)} found the commit, ${count(({ wrong }) => wrong)} named another one, the others none. ${sum(({ unknown }) => unknown)} of ${sum(({ steps }) => steps)} steps did not decide.

${table(["slower from commit", "result", "steps", "of them undecided", "load"], cells)}`;
}

/** The words for the answers of drawn pairs. @type {Record<Answer, string>} */
export const RECIPE_ANSWERS = { holds: "red", does_not_hold: "green", cannot_tell: "cannot tell" };
/** The row of all gates of the recipes together. */
export const RECIPE_JOB = "the job of docs/ci";

/** @typedef {{change_pct: number, low_pct: number, high_pct: number}} WholeChange */
/** @typedef {{kind: "none" | "planted", whole: WholeChange, visible: number | undefined, counts: Record<string, Record<string, number>>}} DrawnGates   `counts`: by gate, then by answer; `visible`: the smallest visible change of a draw, median */

/** @param {{date: string, machine: string, release: string, pool: number, pairs: number, seconds: number, draws: number, planted: number, beside: number, callee: boolean, results: DrawnGates[]}} all */
export function recipeGatesSection({
  date,
  machine,
  release,
  pool,
  pairs,
  seconds,
  draws,
  planted,
  beside,
  callee,
  results,
}) {
  const words = Object.values(RECIPE_ANSWERS);
  const gates = Object.keys(results[0]?.counts ?? {});
  const cells = gates.map((gate) => [
    gate === RECIPE_JOB ? gate : `\`${gate}\``,
    ...results.flatMap(({ counts }) => words.map((word) => String(counts[gate]?.[word] ?? 0))),
  ]);
  const kinds = { none: "none planted", planted: `${planted} % planted` };
  const wholes = results.map(
    ({ kind, whole, visible }) =>
      `${whole.change_pct.toFixed(1)} % (${whole.low_pct.toFixed(1)} … ${whole.high_pct.toFixed(1)}) with ${kinds[kind]}, where the smallest visible change of a draw is ${visible === undefined ? "not known" : `${visible.toFixed(1)} % in the median`}`,
  );
  const headings = results.flatMap(({ kind }) => words.map((word) => `${kinds[kind]}: ${word}`));
  return `## ${beside > 0 ? RECIPE_GATES_BESIDE : RECIPE_GATES}

Measured on ${date}.

\`node bench/ci-gates.mjs${beside > 0 ? ` --beside ${beside}` : ""}\`: the job of [the recipes](compare.md#in-ci), of a commit that touches all functions and makes none slower, and of one that makes a unit of work take ${planted} % more${callee ? " by the work of a callee" : ""}. ${draws} draws of ${pairs} pairs of ${seconds} s from ${pool} pairs of each, which share pairs. OTP ${release}; ${machine}.

${table(["gate", ...headings], cells)}

The whole of all pairs: ${wholes.join("; ")}.`;
}
