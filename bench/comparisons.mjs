// node bench/comparisons.mjs null [--pairs N] [--seconds S] [--keep FOLDER] [--json FILE] [--write]
// node bench/comparisons.mjs same --keep FOLDER [--json FILE]
// node bench/comparisons.mjs power [--runs N] [--seconds S,...] [--keep FOLDER] [--json FILE] [--write]
//   null    one program against itself: how many comparisons of freshly recorded captures claim a change, of functions and
//           of the whole, and how many intervals do not contain 0
//   same    captures of one commit, which are in the folder: how many comparisons of each two, and of each three and three, claim a change
//   power   functions that were made slower by known amounts: how often each is found, by length of the captures
//   --write makes the section of docs/measurements.md
// Every capture is of a VM of its own, as many at once as there are processors. Captures that are in the folder already are not recorded
// again. For power each way to choose captures of the runs is a comparison, so those of one line share captures; in pairs each choice of pairs.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/project.mjs";
import { HELPER } from "../test/e2e/helper.mjs";
import { startDemo } from "../test/vms/demo.mjs";
import { prepareOtp } from "../test/vms/otp.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { powerSection, sameProgramSection } from "./comparing-report.mjs";
import { machineText } from "./machine.mjs";
import { mustRun } from "./measured-command.mjs";
import { randomFrom } from "./pairs.mjs";
import { RECIPE_PAIRS } from "./recipe.mjs";
import { programs } from "./measured-by.mjs";
import { withSection } from "./report.mjs";
import { optionsOrExit } from "../scripts/options.mjs";

const HZ = 997;
/** The first parts of a run cost more than the later ones: loading, first collections, tables that grow. */
const SETTLES_MS = 1_000;
const CLAIMS = new Set(["slower", "faster", "new", "gone"]);
/** One scheduler: the comparison is of the program, not of how the machine spreads it. */
const ONE_SCHEDULER = ["+S", "1:1"];
/** Must be the figures in `cmp_power.erl`. */
const SLOWER_PERCENT = [2, 3, 5, 7, 10, 15, 20, 30];
const FOUND_OF_TEN = 9;
const MOST_COMPARISONS = 100;
/** How captures are compared: that many a side, in pairs or not. Runs of one number were recorded at once. */
const WAYS = [
  { each: 1, paired: false },
  { each: 3, paired: false },
  { each: 3, paired: true },
  { each: 6, paired: false },
  { each: 6, paired: true },
];

const { values: options, positionals } = optionsOrExit("node bench/comparisons.mjs", {
  allowPositionals: true,
  options: {
    pairs: { type: "string" },
    runs: { type: "string", default: "6" },
    seconds: { type: "string" },
    keep: { type: "string" },
    json: { type: "string" },
    write: { type: "boolean", default: false },
    release: { type: "string", default: "25" },
  },
});
const otp = await prepareOtp(/** @type {import("../test/vms/otp.mjs").OtpRelease} */ (options.release));
const folder = options.keep ?? mkdtempSync(join(tmpdir(), "extrospect-comparisons-"));
mkdirSync(folder, { recursive: true });
if (options.keep === undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// A copy: a build during the run replaces the helper.
const helper = join(folder, "extrospect");
copyFileSync(HELPER, helper);
const progress = (/** @type {string} */ text) => process.stderr.write(`  ${text}\n`);
const machine = {
  cpus: cpus().length,
  model: cpus()[0]?.model,
  load: loadavg()[0]?.toFixed(1),
  date: new Date().toISOString().slice(0, 10),
  release: options.release,
  hz: HZ,
};

/**
 * @param {string} name
 * @param {number} seconds
 * @param {() => Promise<{pid: number, end: () => unknown}>} start
 */
async function recorded(name, seconds, start) {
  const file = join(folder, `${name}.pb.gz`);
  if (existsSync(file)) return file;
  const vm = await start();
  try {
    await new Promise((resolve) => setTimeout(resolve, SETTLES_MS));
    await mustRun([helper, "record", `${vm.pid}`, "-d", `${seconds}`, "-F", `${HZ}`, "-o", file, "--json"]);
  } finally {
    await vm.end();
  }
  return file;
}

/** @template T @param {(() => Promise<T>)[]} wanted @param {(done: number) => void} [progress] as many at once as there are processors @returns {Promise<T[]>} */
async function together(wanted, progress = () => {}) {
  const done = [];
  for (let start = 0; start < wanted.length; start += cpus().length) {
    done.push(...(await Promise.all(wanted.slice(start, start + cpus().length).map((record) => record()))));
    progress(done.length);
  }
  return done;
}

/** @param {string[]} base @param {string[]} newer @param {boolean} [paired] @returns {Promise<any>} */
async function compared(base, newer, paired = false) {
  const { stdout } = await mustRun(
    [helper, "diff", ...base, "--", ...newer, ...(paired ? ["--paired"] : []), "--all", "-n", "0", "--json"],
    { keepOutput: true },
  );
  return JSON.parse(stdout);
}

/** Functions, and the whole, of which a change is claimed. @param {any} comparison @returns {string[]} */
function claims({ functions, whole }) {
  const ofAll = CLAIMS.has(whole?.verdict) ? [`the whole: ${whole.verdict} ${whole.change_pct.toFixed(1)} %`] : [];
  const ofFunctions = functions.flatMap((/** @type {any} */ row) => {
    const said = ["self", "total", "own"]
      .filter((time) => CLAIMS.has(row[time]?.verdict))
      .map((time) => `${time} ${row[time].verdict} ${row[time].change_pct?.toFixed(0)} %`);
    return said.length > 0 ? [`${row.function}: ${said.join(", ")} (of ${row.self.base.toFixed(2)} %)`] : [];
  });
  return [...ofAll, ...ofFunctions];
}

/** Whether an interval is known and does not contain 0. @param {any} change */
const isWithout0 = (change) =>
  typeof change?.low_pct === "number" &&
  typeof change.high_pct === "number" &&
  (change.low_pct > 0 || change.high_pct < 0);

/**
 * The claims of comparisons of one program with itself. A function with too few samples has no interval to rely on.
 * @param {{base: string[], newer: string[]}[]} chosen @param {boolean} paired
 */
async function claimsOfSame(chosen, paired) {
  const counts = { claiming_a_change: 0, of_the_whole: 0, whole_without_0: 0, intervals: 0, without_0: 0 };
  for (const { base, newer } of chosen) {
    const comparison = await compared(base, newer, paired);
    const found = claims(comparison);
    if (found.length > 0) counts.claiming_a_change++;
    if (found[0]?.startsWith("the whole")) counts.of_the_whole++;
    if (isWithout0(comparison.whole)) counts.whole_without_0++;
    const known = comparison.functions.filter(
      (/** @type {any} */ { self }) => typeof self?.low_pct === "number" && self.verdict !== "too_few",
    );
    counts.intervals += known.length;
    counts.without_0 += known.filter((/** @type {any} */ { self }) => isWithout0(self)).length;
    for (const text of found) progress(`${base.length} ${paired ? "pairs" : "a side"}, ${base[0]}: ${text}`);
  }
  return { comparisons: chosen.length, ...counts };
}

/** @template T @param {T[]} all @param {number} size @returns {T[][]} disjoint, whole ones only */
function groups(all, size) {
  return Array.from({ length: Math.floor(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

async function nullComparisons() {
  const pairs = Number(options.pairs ?? 100);
  const seconds = Number(options.seconds ?? 10);
  const wanted = Array.from({ length: 2 * pairs }, (_, number) => () => {
    return recorded(`null-${number}`, seconds, async () => {
      const demo = await startDemo(otp, ONE_SCHEDULER);
      return { pid: demo.pid, end: demo.kill };
    });
  });
  const files = await together(wanted, (done) => {
    if (done % 10 === 0) progress(`${done} of ${2 * pairs} captures, load ${loadavg()[0]?.toFixed(1)}`);
  });
  const table = [];
  for (const each of [1, 2, 3]) {
    const chosen = groups(files, 2 * each).map((group) => ({ base: group.slice(0, each), newer: group.slice(each) }));
    table.push({ captures_a_side: each, paired: false, drawn: false, ...(await claimsOfSame(chosen, false)) });
  }
  // As many pairs as the recipes of CI have. Neighbours are a pair: recorded at once, or one after the other.
  const each = Number(RECIPE_PAIRS);
  const neighbours = groups(files, 2);
  const random = randomFrom(each);
  const draws = Array.from({ length: pairs < each ? 0 : MOST_COMPARISONS }, () => {
    const left = [...neighbours];
    const taken = Array.from({ length: each }, () => left.splice(Math.floor(random() * left.length), 1)[0] ?? []);
    // Which of a pair is the newer side is drawn, too.
    const sides = taken.map((pair) => (random() < 0.5 ? pair : pair.toReversed()));
    return { base: sides.map((pair) => String(pair[0])), newer: sides.map((pair) => String(pair[1])) };
  });
  if (draws.length > 0)
    table.push({ captures_a_side: each, paired: true, drawn: true, ...(await claimsOfSame(draws, true)) });
  return { what: "null", seconds, machine, table };
}

/** Every way to take `size` of them, in their order. @template T @param {T[]} all @param {number} size @returns {T[][]} */
function choices(all, size) {
  if (size === 0) return [[]];
  return all.flatMap((first, index) => choices(all.slice(index + 1), size - 1).map((rest) => [first, ...rest]));
}

/** @param {number} seconds @param {"off" | "on"} slower @param {number} number */
function powerRun(seconds, slower, number) {
  return recorded(`power-${seconds}-${slower}-${number}`, seconds, async () => {
    const vm = await runErl({ otp, module: "cmp_power", args: [slower], emulatorFlags: ONE_SCHEDULER });
    return { pid: vm.pid, end: () => vm.stop() };
  });
}

/** How often each slowdown is found. */
async function power() {
  const runs = Number(options.runs);
  const table = [];
  for (const seconds of (options.seconds ?? "5,30,120").split(",").map(Number)) {
    const wanted = Array.from({ length: runs }, (_, number) => [
      () => powerRun(seconds, "off", number),
      () => powerRun(seconds, "on", number),
    ]).flat();
    const files = await together(wanted);
    progress(`${seconds} s: ${files.length} captures, load ${loadavg()[0]?.toFixed(1)}`);
    const sideOf = (/** @type {string} */ slower) => files.filter((file) => file.includes(`-${slower}-`));
    const [off, on] = [sideOf("off"), sideOf("on")];
    for (const { each, paired } of WAYS) {
      const all = paired
        ? choices([...off.keys()], each).map((pairs) => ({
            base: pairs.map((pair) => String(off[pair])),
            newer: pairs.map((pair) => String(on[pair])),
          }))
        : choices(off, each).flatMap((base) => choices(on, each).map((newer) => ({ base, newer })));
      const step = Math.ceil(all.length / MOST_COMPARISONS);
      const chosen = all.filter((_, index) => index % step === 0);
      const found = SLOWER_PERCENT.map(() => 0);
      let wrong = 0;
      for (const { base, newer } of chosen) {
        const { functions } = await compared(base, newer, paired);
        SLOWER_PERCENT.forEach((percent, index) => {
          const verdict = functions.find((/** @type {any} */ row) => row.function === `cmp_power:slower_${percent}/2`)
            ?.self.verdict;
          if (verdict === "slower") found[index] = (found[index] ?? 0) + 1;
          else if (CLAIMS.has(verdict)) wrong++;
        });
      }
      const rates = Object.fromEntries(
        SLOWER_PERCENT.map((percent, index) => [percent, Number(((found[index] ?? 0) / chosen.length).toFixed(2))]),
      );
      const smallest =
        SLOWER_PERCENT.find((_, index) =>
          SLOWER_PERCENT.slice(index).every((larger) => (rates[larger] ?? 0) * 10 >= FOUND_OF_TEN),
        ) ?? null;
      table.push({
        seconds,
        runs,
        captures_a_side: each,
        paired,
        comparisons: chosen.length,
        found: rates,
        smallest_found_9_of_10: smallest,
        claimed_the_contrary: wrong,
      });
      progress(`${seconds} s, ${each} ${paired ? "pairs" : "a side"}: ${JSON.stringify(rates)}`);
    }
  }
  return { what: "power", machine, table };
}

/** Captures of one commit among each other. */
async function sameCommit() {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".pb.gz"))
    .map((name) => join(folder, name));
  const table = [];
  for (const each of [1, 3]) {
    const splits = choices(files, 2 * each).flatMap((chosen) =>
      choices(chosen, each)
        .filter((base) => base[0] === chosen[0])
        .map((base) => ({ base, newer: chosen.filter((file) => !base.includes(file)) })),
    );
    const step = Math.ceil(splits.length / MOST_COMPARISONS);
    const chosen = splits.filter((_, index) => index % step === 0);
    const found = [];
    for (const { base, newer } of chosen) found.push(claims(await compared(base, newer)));
    const claiming = found.filter((texts) => texts.length > 0);
    for (const texts of claiming) progress(`${each} a side: ${texts.join("; ")}`);
    table.push({
      captures_a_side: each,
      comparisons: chosen.length,
      claiming_a_change: claiming.length,
      of_the_whole: claiming.filter(([first]) => first?.startsWith("the whole")).length,
    });
  }
  return { what: "same", captures: files.length, machine, table };
}

const parts = { null: nullComparisons, same: sameCommit, power };
const part = parts[/** @type {keyof typeof parts} */ (positionals[0] ?? "")];
if (part === undefined) {
  console.error("node bench/comparisons.mjs null|same|power [--runs N] [--seconds S] [--keep FOLDER] [--json FILE]");
  process.exit(2);
}
const result = await part();
console.log(JSON.stringify(result, null, 2));
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
if (options.write) {
  const known = { ...result, hz: HZ, release: options.release, date: machine.date, machine: machineText() };
  const sections = new Map([
    ["null", () => sameProgramSection(/** @type {any} */ (known))],
    ["power", () => powerSection(/** @type {any} */ ({ ...known, runs: Number(options.runs) }))],
  ]);
  const section = sections.get(result.what);
  const page = join(ROOT, "docs/measurements.md");
  if (section !== undefined) writeFileSync(page, withSection(section(), readFileSync(page, "utf8"), programs()));
}
process.exit(0);
