// node bench/comparisons.mjs null [--pairs N] [--seconds S] [--keep FOLDER] [--json FILE]
// node bench/comparisons.mjs same --keep FOLDER [--json FILE]
// node bench/comparisons.mjs power [--runs N] [--seconds S,...] [--keep FOLDER] [--json FILE]
//   null    one program against itself: how many comparisons of freshly recorded captures claim a change
//   same    captures of one commit, which are in the folder: how many comparisons of each two, and of each three and three, claim a change
//   power   functions that were made slower by known amounts: how often each is found, by length of the captures
// Every capture is of a VM of its own, as many at once as there are processors. Captures that are in the folder already are not recorded
// again. For power each way to choose captures of the runs is a comparison, so those of one line share captures; in pairs each choice of pairs.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { HELPER } from "../test/e2e/helper.mjs";
import { startDemo } from "../test/vms/demo.mjs";
import { prepareOtp } from "../test/vms/otp.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { mustRun } from "./measured-command.mjs";
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
    let claimed = 0;
    const all = groups(files, 2 * each);
    for (const group of all) {
      const found = claims(await compared(group.slice(0, each), group.slice(each)));
      if (found.length > 0) claimed++;
      for (const text of found) progress(`${each} a side, ${group[0]}: ${text}`);
    }
    table.push({ captures_a_side: each, comparisons: all.length, claiming_a_change: claimed });
  }
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
process.exit(0);
