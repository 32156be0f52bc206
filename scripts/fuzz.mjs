// npm run fuzz: every fuzz target for a while.
//   node scripts/fuzz.mjs [--seconds N | --hours N] [--target NAME] [--fresh]
// `--hours` shares that time among the targets and keeps the inputs that are worth it: see fuzz-corpus.mjs.
// Needs no nightly toolchain: the coverage counters that libFuzzer steers by are an LLVM pass that
// stable compilers have, too. (With `cargo fuzz` the same targets run under sanitizers.)
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cargoEnvironment, runCargo } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { corpusFolder, keep, unpack } from "./fuzz-corpus.mjs";
import { MAX_INPUT_BYTES, seeds } from "./fuzz-seeds.mjs";
import { interruptionOfRun } from "./interruption.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { childSeconds } from "./processor-seconds.mjs";
import { HELPER_TARGET, HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { stepLine } from "./steps.mjs";
import { optionsOf } from "./options.mjs";

const FOLDER = join(HELPER_WORKSPACE, "fuzz");
const DEFAULT_SECONDS = 60;
/** An input that takes longer is a fault. */
const INPUT_SECONDS = 10;
/**
 * The shell is the one that knows how much processor time its child took. It ends that child when it is interrupted: SIGINT alone would
 * not reach a program in the background.
 */
const TIMED = '"$@" & child=$!; trap "kill $child" INT TERM; wait $child; code=$?; times; exit $code';

const IS_PROGRAM = process.argv[1] === fileURLToPath(import.meta.url);
const interruption = IS_PROGRAM ? interruptionOfRun() : new AbortController();

const COVERAGE = [
  "-Cpasses=sancov-module",
  ...["level=4", "inline-8bit-counters", "pc-table", "trace-compares"].map(
    (pass) => `-Cllvm-args=-sanitizer-coverage-${pass}`,
  ),
  "--cfg=fuzzing",
];

/** Names of all targets. */
export function fuzzTargets() {
  return readdirSync(join(FOLDER, "fuzz_targets"))
    .map((file) => file.replace(/\.rs$/, ""))
    .sort();
}

/** @param {AbortSignal} [signal] */
export async function buildFuzzTargets(signal) {
  if (findProgram("c++") === null && findProgram("g++") === null) {
    throw new Problem("a C++ compiler is missing", "libFuzzer is written in C++", "sudo apt-get install g++");
  }
  const args = ["build", "--release", "--locked", "--bins", "--target", HELPER_TARGET];
  const { code, stderr } = await runCargo(args, {
    cwd: FOLDER,
    env: { ...cargoEnvironment(), RUSTFLAGS: COVERAGE.join(" ") },
    ...(signal && { signal }),
  });
  if (code !== 0)
    throw new Problem(
      "the fuzz targets do not build",
      lastLines(stderr),
      `cd native-helper/fuzz && cargo ${args.join(" ")}`,
    );
}

/** @param {string} target */
const programOf = (target) => join(FOLDER, "target", HELPER_TARGET, "release", target);
/** @param {string} target */
const artifactsOf = (target) => join(FOLDER, "artifacts", target);

/**
 * @typedef {object} Fuzzed
 * @property {number} code
 * @property {string} output
 * @property {number} runs        inputs tried
 * @property {number} cpuSeconds
 *
 * @param {string} target
 * @param {number} seconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<Fuzzed>}
 */
export async function fuzz(target, seconds, signal) {
  const corpus = corpusFolder(target);
  for (const folder of [corpus, artifactsOf(target)]) mkdirSync(folder, { recursive: true });
  unpack(target);
  seeds(target).forEach((bytes, index) => writeFileSync(join(corpus, `seed-${index}`), bytes));
  const flags = [
    `-max_total_time=${Math.ceil(seconds)}`,
    `-max_len=${MAX_INPUT_BYTES}`,
    `-timeout=${INPUT_SECONDS}`,
    "-rss_limit_mb=1024",
    `-artifact_prefix=${artifactsOf(target)}/`,
    "-print_final_stats=1",
    corpus,
  ];
  const { code, stderr, stdout } = await run("/bin/sh", ["-c", TIMED, "sh", programOf(target), ...flags], {
    cwd: FOLDER,
    ...(signal && { signal }),
  });
  return {
    code,
    output: stderr,
    runs: Number(/stat::number_of_executed_units:\s*(\d+)/.exec(stderr)?.[1] ?? 0),
    cpuSeconds: childSeconds(stdout),
  };
}

/**
 * @param {string} target
 * @param {{seconds: number, isKept: boolean}} how
 * @returns {Promise<Fuzzed>}
 */
async function fuzzAndTell(target, { seconds, isKept }) {
  const began = performance.now();
  const fuzzed = await fuzz(target, seconds, interruption.signal);
  const { code, output, runs, cpuSeconds } = fuzzed;
  const kept = isKept && code === 0 ? `, ${await keep(target, programOf(target))}` : "";
  console.log(
    `${stepLine(target, code === 0 ? "ok" : "FAILED", performance.now() - began)}, ${runs} inputs, ${(cpuSeconds / 3600).toFixed(3)} CPU-hours${kept}`,
  );
  if (code !== 0) console.log(`${lastLines(output, 30)}\nthe input is in ${relative(ROOT, artifactsOf(target))}`);
  return fuzzed;
}

/** @param {string[]} words */
async function main(words) {
  const { values: options } = optionsOf("npm run fuzz --", {
    args: words,
    options: {
      seconds: { type: "string" },
      hours: { type: "string" },
      target: { type: "string" },
      fresh: { type: "boolean", default: false },
    },
  });
  const targets = fuzzTargets().filter((name) => options.target === undefined || name === options.target);
  const atATime = options.hours === undefined ? 1 : Math.min(availableParallelism(), targets.length);
  // Hours are those of the clock, for all targets together.
  const seconds =
    options.hours === undefined
      ? Number(options.seconds ?? DEFAULT_SECONDS)
      : (Number(options.hours) * 3600 * atATime) / targets.length;
  if (!(seconds > 0) || targets.length === 0) {
    throw new Problem(
      "nothing to fuzz",
      `targets are ${fuzzTargets().join(", ")}`,
      "npm run fuzz -- [--seconds N | --hours N] [--target NAME] [--fresh]",
    );
  }
  if (options.fresh) for (const target of targets) rmSync(corpusFolder(target), { recursive: true, force: true });
  await buildFuzzTargets(interruption.signal);
  /** @type {Fuzzed[]} */
  const all = [];
  const left = [...targets];
  const worker = async () => {
    for (let target = left.shift(); target !== undefined; target = left.shift())
      all.push(await fuzzAndTell(target, { seconds, isKept: options.hours !== undefined }));
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  const findings = all.filter(({ code }) => code !== 0).length;
  const cpuHours = all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / 3600;
  const inputs = all.reduce((sum, { runs }) => sum + runs, 0);
  console.log(`${targets.length} targets, ${inputs} inputs, ${cpuHours.toFixed(2)} CPU-hours, ${findings} findings`);
  process.exitCode = findings === 0 ? 0 : 1;
}

if (IS_PROGRAM) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
