// node bench/real-gate.mjs --repo DIR [--keep FOLDER] [--pairs N] [--seconds S] [--clock N] [--beside N] [--only COMMIT]... [--json FILE] [--write]
// A gate on a real repository, as a team would run it: for each of 30 commits of cowlib the job of docs/ci, with its
// benchmark, pairs, gates and limits, against the commit before it. Five of the commits have a regression planted: a
// function on the way does that much more work, as a fixed count of rounds. Beside what the job answered stands what
// the commit changes by the clock of the kernel, without a capture.
//   --repo     a clone of https://github.com/ninenines/cowlib, which is only read
//   --keep     results in the folder are not made again: a run that was stopped goes on
//   --clock    pairs of runs by the clock for each commit; 0: none
//   --beside   so many other processes take a processor in bursts
//   --only     these commits, by the first digits of their names
//   --write    makes the section of docs/measurements.md
import "../scripts/outer-repository.mjs";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { optionsOrExit } from "../scripts/options.mjs";
import { ROOT } from "../scripts/project.mjs";
import { workBeside } from "./beside.mjs";
import { machineText, otpRelease } from "./machine.mjs";
import { benchmark, compared, jobAnswer, RECIPE, RECIPE_PAIRS, RECIPE_SECONDS, recordPairs, START } from "./recipe.mjs";
import { realGateSection } from "./comparing-report.mjs";
import { programs } from "./measured-by.mjs";
import { withSection } from "./report.mjs";
import { clockedChange } from "./unit-clock.mjs";

const PAGE = join(ROOT, "docs/measurements.md");
const COMMITS = 30;
/** The newest commit, and the folders whose commits the job runs for. */
const NEWEST = "6165fc40efa159ba1cceee7e7981e790acba5d9c";
const FOLDERS = ["src", "include"];
/** Requests that are a unit of work: some 20 ms. */
const ORDERS = 250;
/** The commits of the planted regressions do not change what the benchmark runs. */
const PLANTED = [
  { commit: "28a8462", percent: 5, file: "src/cow_qs.erl", name: "parse_qs" },
  { commit: "386ca32", percent: 10, file: "src/cow_http_hd.erl", name: "parse_accept" },
  { commit: "11c5540", percent: 20, file: "src/cow_sse.erl", name: "event" },
  { commit: "0d8d7b6", percent: 30, file: "src/cow_cookie.erl", name: "parse_cookie" },
  { commit: "a277d91", percent: 50, file: "src/cow_uri.erl", name: "urldecode" },
];
/** Rounds of a first trial, by whose cost the planted ones are counted, and the least that it has to show. */
const TRIAL_ROUNDS = 8_000;
const TRIAL_LEAST_PCT = 10;
const TRIAL_PAIRS = 4;
const CLOCK_SECONDS = 3;

/** @typedef {(typeof PLANTED)[number]} Planted */

const { values: options } = optionsOrExit("node bench/real-gate.mjs", {
  options: {
    repo: { type: "string" },
    keep: { type: "string" },
    pairs: { type: "string", default: RECIPE_PAIRS },
    seconds: { type: "string", default: RECIPE_SECONDS },
    clock: { type: "string", default: "4" },
    beside: { type: "string", default: "0" },
    only: { type: "string", multiple: true },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
if (options.repo === undefined) {
  console.error("--repo is a clone of https://github.com/ninenines/cowlib");
  process.exit(2);
}
const CLOCK_PAIRS = Number(options.clock);
if (CLOCK_PAIRS === 1 || Number(options.pairs) < 2) {
  console.error("one pair has no interval");
  process.exit(2);
}
const folder = resolve(options.keep ?? mkdtempSync(join(tmpdir(), "extrospect-real-gate-")));
if (options.keep === undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const repository = join(folder, "repository");
mkdirSync(join(folder, "rows"), { recursive: true });
const progress = (/** @type {string} */ text) => process.stderr.write(`  ${text}\n`);

/** @param {string[]} args */
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-C", repository, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

if (!existsSync(repository))
  execFileSync("git", ["clone", "--quiet", "--no-checkout", resolve(options.repo), repository], { stdio: "inherit" });
// A run that was killed leaves the checkouts of its pairs listed.
git("worktree", "prune");

// The same benchmark for all commits, from outside of their checkouts.
const sources = join(folder, "benchmark");
mkdirSync(sources, { recursive: true });
copyFileSync(join(import.meta.dirname, "projects/cowlib_orders.erl"), join(sources, "cowlib_orders.erl"));
writeFileSync(
  join(sources, "benchmark.erl"),
  benchmark({ order: "cowlib_orders:order(Random)", work: "cowlib_orders:work(Order)", orders: ORDERS }),
);
const BUILD = `mkdir -p ebin && erlc +debug_info -I include -o ebin src/*.erl && erlc +debug_info -o ebin "${sources}"/*.erl`;

/** A folder with the program of a commit, built; commits with the same sources share it. @param {string} commit */
function built(commit) {
  const trees = FOLDERS.map((name) => git("rev-parse", `${commit}:${name}`).slice(0, 12));
  const build = join(folder, "builds", trees.join("-"));
  const done = join(build, "built");
  if (existsSync(done)) return build;
  rmSync(build, { recursive: true, force: true });
  mkdirSync(build, { recursive: true });
  const archive = execFileSync("git", ["-C", repository, "archive", commit, ...FOLDERS], { maxBuffer: 1 << 28 });
  execFileSync("tar", ["-x", "-C", build], { input: archive });
  execFileSync("sh", ["-c", BUILD], { cwd: build, stdio: ["ignore", "ignore", "pipe"] });
  writeFileSync(done, "");
  return build;
}

/** The commits that the job runs for, the newest first. */
const candidates = () =>
  git("log", "--format=%H", "--first-parent", "--no-merges", NEWEST, "--", ...FOLDERS).split("\n");

/** Whether both sides can be built: otherwise another commit takes its place. @param {string} commit */
function canBeBuilt(commit) {
  try {
    for (const side of [`${commit}^`, commit]) built(side);
    return true;
  } catch (error) {
    progress(`${commit.slice(0, 7)} is left out, since it cannot be built: ${String(error).split("\n")[0]}`);
    return false;
  }
}

/**
 * The commit as if its author had made the function do so much more.
 * @param {string} commit @param {Planted} planted @param {number} rounds
 */
function withPlanted(commit, { file, name }, rounds) {
  git("checkout", "--quiet", "--force", "--detach", commit);
  const path = join(repository, file);
  const text = readFileSync(path, "utf8");
  const head = new RegExp(`^${name}\\(\\w+\\) ->\\n`, "m");
  if (!head.test(text)) throw new Error(`${commit.slice(0, 7)} has no ${name}/1 in ${file}`);
  const more = `
again(0, Sum) ->
	Sum;
again(Rounds, Sum) ->
	again(Rounds - 1, (Sum * 1103515 + 12345) band 16#3ffffff).
`;
  writeFileSync(path, `${text.replace(head, (line) => `${line}\t_ = again(${rounds}, 7),\n`)}${more}`);
  git("commit", "--quiet", "--amend", "--no-edit", "--all");
  return git("rev-parse", "HEAD");
}

/** @param {string} base @param {string} head @param {number} pairs */
const clocked = (base, head, pairs) =>
  clockedChange({
    start: START,
    base: built(base),
    head: built(head),
    pairs,
    seconds: CLOCK_SECONDS,
  });

/** The commit with so many rounds that a unit of work takes the planted percentage more. @param {string} commit @param {Planted} planted */
async function plantedCommit(commit, planted) {
  const known = join(folder, `planted-${planted.commit}.json`);
  if (existsSync(known)) return JSON.parse(readFileSync(known, "utf8"));
  let trial = TRIAL_ROUNDS;
  let shown = 0;
  for (; ; trial *= 4) {
    shown = (await clocked(commit, withPlanted(commit, planted, trial), TRIAL_PAIRS)).changePct;
    progress(`${planted.commit}: ${trial} rounds of ${planted.name}/1 are ${shown.toFixed(1)} % of a unit`);
    if (shown >= TRIAL_LEAST_PCT) break;
  }
  const rounds = Math.max(1, Math.round((trial * planted.percent) / shown));
  const made = { head: withPlanted(commit, planted, rounds), rounds };
  writeFileSync(known, JSON.stringify(made));
  return made;
}

/** What the job answered for a commit. @param {string} commit @returns {Promise<import("./comparing-report.mjs").GateRow>} */
async function rowOf(commit) {
  const short = commit.slice(0, 7);
  const file = join(folder, "rows", `${short}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const base = git("rev-parse", `${commit}^`);
  const planted = PLANTED.find((each) => commit.startsWith(each.commit));
  const { head, rounds } = planted === undefined ? { head: commit, rounds: 0 } : await plantedCommit(commit, planted);
  const clock = CLOCK_PAIRS === 0 ? { changePct: null, halfWidthPct: null } : await clocked(base, head, CLOCK_PAIRS);
  const out = join(folder, "captures", short);
  rmSync(out, { recursive: true, force: true });
  // As in CI: the checkout is of the commit that is judged.
  git("checkout", "--quiet", "--force", "--detach", head);
  const { pairs, seconds } = options;
  const startedMs = performance.now();
  recordPairs({ repository, base, head, pairs, seconds, out, build: BUILD });
  const side = (/** @type {string} */ name) =>
    Array.from({ length: Number(pairs) }, (_, index) => join(out, `${name}-${index + 1}.pb.gz`));
  const comparison = compared({ repository, base: side("base"), head: side("head"), gates: RECIPE });
  const { change_pct: change, low_pct: low, high_pct: high } = comparison.whole;
  const row = {
    commit,
    subject: git("show", "-s", "--format=%s", commit),
    planted: planted === undefined ? null : { percent: planted.percent, function: `${planted.name}/1`, rounds },
    clock,
    job: jobAnswer(comparison),
    gates: comparison.gates.map((/** @type {any} */ { condition, answer, met_by: metBy }) => ({
      condition,
      answer,
      met_by: (metBy ?? []).map((/** @type {any} */ figure) => figure.name),
    })),
    whole: { change, low, high },
    seconds: (performance.now() - startedMs) / 1_000,
  };
  writeFileSync(file, JSON.stringify(row));
  return row;
}

const all = candidates();
const missing = PLANTED.filter(({ commit }) => !all.slice(0, COMMITS).some((name) => name.startsWith(commit)));
if (missing.length > 0) throw new Error(`not among the commits: ${missing.map(({ commit }) => commit).join(", ")}`);
const end = workBeside(Number(options.beside));
const rows = [];
let taken = 0;
for (const commit of all) {
  if (taken === COMMITS) break;
  const isWanted = options.only?.some((name) => commit.startsWith(name)) ?? true;
  if (isWanted && !canBeBuilt(commit)) continue;
  taken++;
  if (!isWanted) continue;
  const row = await rowOf(commit);
  rows.push(row);
  const what = row.planted === null ? "" : `, ${row.planted.percent} % planted`;
  progress(`${taken} of ${COMMITS}: ${commit.slice(0, 7)}${what}: ${row.job}, ${row.seconds.toFixed(0)} s`);
}
end();
const results = {
  project: "https://github.com/ninenines/cowlib",
  date: new Date().toISOString().slice(0, 10),
  release: otpRelease(),
  machine: machineText(options.beside),
  pairs: Number(options.pairs),
  seconds: Number(options.seconds),
  rows,
};
const section = realGateSection(results);
console.log(section);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
if (options.write) writeFileSync(PAGE, withSection(section, readFileSync(PAGE, "utf8"), programs()));
process.exit(0);
