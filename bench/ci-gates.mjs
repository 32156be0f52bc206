// node bench/ci-gates.mjs [--pool N] [--pairs N] [--seconds S] [--planted PERCENT] [--draws N] [--beside N] [--callee] [--gate CONDITION]... [--keep FOLDER] [--json FILE] [--write]
// How often the gates of docs/ci are red, green or cannot tell. docs/ci/record-pairs.sh records a pool of pairs: of a
// commit and one that touches all functions and makes none slower (none planted), and of the same commit and one that
// makes a function slower, so that a unit of work takes --planted percent more. Then that many pairs of each pool are drawn, again and again, and
// judged as the recipes do. Pairs stay pairs; the draws of one pool share them, so they are not independent.
//   --beside N   N other processes take a processor in bursts while the pool is recorded
//   --callee     the function that is changed has its work done by another one, which is not
//   --keep       pairs that are in the folder already are not recorded again
//   --write      makes the section of docs/measurements.md: that of a quiet machine, or with --beside the other one
import "../scripts/outer-repository.mjs";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { optionsOrExit } from "../scripts/options.mjs";
import { ROOT } from "../scripts/project.mjs";
import { workBeside } from "./beside.mjs";
import { RECIPE_ANSWERS, RECIPE_JOB, recipeGatesSection } from "./comparing-report.mjs";
import { machineText, otpRelease } from "./machine.mjs";
import { programs } from "./measured-by.mjs";
import { benchmark, compared, jobAnswer, RECIPE, recordPairs } from "./recipe.mjs";
import { withSection } from "./report.mjs";

/** Pairs of one kind that are recorded before those of the other: a drift of the machine hits both kinds. */
const TURN = 2;
/** Functions of the program, of which each takes as long; the planted change is one of them that does more. */
const FUNCTIONS = 10;
const ROUNDS = 20;
const GATES = [
  "touched.slower>5%",
  "touched.own.slower>5%",
  "own.slower>20%",
  "whole.slower>3%",
  "whole.slower>5%",
  "whole.slower>10%",
  "whole.slower>25%",
];

const { values: options } = optionsOrExit("node bench/ci-gates.mjs", {
  options: {
    pool: { type: "string", default: "12" },
    pairs: { type: "string", default: "5" },
    seconds: { type: "string", default: "20" },
    planted: { type: "string", default: "10" },
    draws: { type: "string", default: "100" },
    beside: { type: "string", default: "0" },
    callee: { type: "boolean", default: false },
    gate: { type: "string", multiple: true },
    keep: { type: "string" },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const [pool, pairs, draws] = [Number(options.pool), Number(options.pairs), Number(options.draws)];
if (pool % TURN !== 0 || pairs < 2 || pairs > pool) {
  console.error(`--pool is a multiple of ${TURN}, and --pairs are between 2 and that`);
  process.exit(2);
}
const gates = [...new Set([...(options.gate ?? GATES), ...RECIPE])];
const folder = resolve(options.keep ?? mkdtempSync(join(tmpdir(), "extrospect-ci-gates-")));
if (options.keep === undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const repository = join(folder, "repository");
const captures = join(folder, "captures");
mkdirSync(captures, { recursive: true });
const progress = (/** @type {string} */ text) => process.stderr.write(`  ${text}\n`);

/** @param {string[]} args */
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-C", repository, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

/**
 * A program of functions that take as long as each other, except the first.
 * @param {number} extraPercent  of the whole program
 * @param {boolean} isOtherCode  which does the same
 */
function program(extraPercent, isOtherCode = false) {
  const rounds = (/** @type {number} */ number) =>
    number === 0 ? Math.round(ROUNDS * (1 + (extraPercent * FUNCTIONS) / 100)) : ROUNDS;
  const body = (/** @type {number | string} */ count) =>
    `lists:sum([(X * 1103515 + 12345) band 16#3ffffff || X <- Order, _ <- lists:seq(1, ${count})])`;
  const part = (/** @type {number} */ number) => {
    const sum = options.callee ? `sum(${rounds(number)}, Order)` : body(rounds(number));
    return `part_${number}(Order) -> ${isOtherCode ? `${sum} + ${number}` : `${number} + ${sum}`}.`;
  };
  const numbers = Array.from({ length: FUNCTIONS }, (_, number) => number);
  return `-module(shop).
-export([total/1, sum/2]).
total(Order) -> ${numbers.map((number) => `part_${number}(Order)`).join(" + ")}.
${numbers.map(part).join("\n")}
sum(Count, Order) -> ${body("Count")}.
`;
}

/** @param {string} message @param {Record<string, string>} files */
function commit(message, files) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(repository, name), text);
  git("add", "-A");
  git("commit", "-qm", message);
  return git("rev-parse", "HEAD");
}

/** The commits that are there from an earlier run, else new ones. @returns {Record<"base" | "none" | "planted", string>} */
function commits() {
  const known = join(folder, "commits.json");
  if (existsSync(known)) return JSON.parse(readFileSync(known, "utf8"));
  mkdirSync(repository);
  git("init", "-q", "-b", "main");
  const base = commit("base", { "shop.erl": program(0) });
  const none = commit("other code, no other work", { "shop.erl": program(0, true) });
  git("checkout", "-q", base);
  const planted = commit("planted", { "shop.erl": program(Number(options.planted)) });
  const made = { base, none, planted };
  writeFileSync(known, JSON.stringify(made));
  return made;
}

/** @param {"none" | "planted"} kind @param {"base" | "head"} side @param {number} pair */
const fileOf = (kind, side, pair) => join(captures, `${kind}-${side}-${pair}.pb.gz`);

/** Records pairs `first` and those after it. @param {"none" | "planted"} kind @param {number} first @param {Record<string, string>} made */
function record(kind, first, made) {
  const numbers = Array.from({ length: TURN }, (_, index) => first + index);
  const sides = /** @type {const} */ (["base", "head"]);
  if (numbers.every((pair) => sides.every((side) => existsSync(fileOf(kind, side, pair))))) return;
  const out = join(folder, "turn");
  rmSync(out, { recursive: true, force: true });
  const source = join(folder, "benchmark.erl");
  writeFileSync(source, benchmark({ work: "shop:total(Order)", orders: 400 }));
  recordPairs({
    repository,
    base: String(made["base"]),
    head: String(made[kind]),
    pairs: TURN,
    seconds: options.seconds,
    out,
    build: `mkdir ebin && erlc +debug_info -o ebin shop.erl ${source}`,
  });
  for (const [index, pair] of numbers.entries())
    for (const side of sides) renameSync(join(out, `${side}-${index + 1}.pb.gz`), fileOf(kind, side, pair));
  progress(`${kind}: ${first + TURN - 1} of ${pool} pairs, load ${loadavg()[0]?.toFixed(1)}`);
}

/** @param {"none" | "planted"} kind @param {number[]} chosen */
function comparedPairs(kind, chosen) {
  const side = (/** @type {"base" | "head"} */ of) => chosen.map((pair) => fileOf(kind, of, pair));
  return compared({ repository, base: side("base"), head: side("head"), gates });
}

/** The same numbers in every run. */
function randomNumbers() {
  let state = 42;
  return () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
}

/** @param {() => number} random @returns {number[]} pairs of the pool, each once, in their order */
function drawn(random) {
  const left = Array.from({ length: pool }, (_, index) => index + 1);
  const chosen = Array.from({ length: pairs }, () => Number(left.splice(Math.floor(random() * left.length), 1)[0]));
  return chosen.sort((a, b) => a - b);
}

const made = commits();
const end = workBeside(Number(options.beside));
for (let first = 1; first <= pool; first += TURN)
  for (const kind of /** @type {const} */ (["none", "planted"])) record(kind, first, made);
end();

const all = Array.from({ length: pool }, (_, index) => index + 1);
/** @type {import("./comparing-report.mjs").DrawnGates[]} */
const results = [];
for (const kind of /** @type {const} */ (["none", "planted"])) {
  const whole = comparedPairs(kind, all).whole;
  const random = randomNumbers();
  /** @type {Record<string, Record<string, number>>} */
  const counts = Object.fromEntries(
    [...gates, RECIPE_JOB].map((gate) => [gate, { red: 0, green: 0, "cannot tell": 0 }]),
  );
  const visible = [];
  for (let draw = 0; draw < draws; draw++) {
    const comparison = comparedPairs(kind, drawn(random));
    visible.push(comparison.whole.smallest_visible_pct);
    for (const gate of comparison.gates) {
      const counted = /** @type {Record<string, number>} */ (counts[gate.condition]);
      const word = RECIPE_ANSWERS[/** @type {import("./recipe.mjs").Answer} */ (gate.answer)];
      counted[word] = (counted[word] ?? 0) + 1;
    }
    const word = RECIPE_ANSWERS[jobAnswer(comparison)];
    const job = /** @type {Record<string, number>} */ (counts[RECIPE_JOB]);
    job[word] = (job[word] ?? 0) + 1;
  }
  visible.sort((a, b) => a - b);
  results.push({ kind, whole, counts, visible: visible[Math.floor(visible.length / 2)] });
}

const machine = machineText(options.beside);
const section = recipeGatesSection({
  date: new Date().toISOString().slice(0, 10),
  machine,
  release: otpRelease(),
  pool,
  pairs,
  seconds: Number(options.seconds),
  draws,
  planted: Number(options.planted),
  beside: Number(options.beside),
  callee: options.callee,
  results,
});
console.log(section);
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ options, machine, results }, null, 2)}\n`);
if (options.write) {
  const page = join(ROOT, "docs/measurements.md");
  writeFileSync(page, withSection(section, readFileSync(page, "utf8"), programs()));
}
