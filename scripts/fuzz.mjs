// npm run fuzz: every fuzz target for a while.
//   node scripts/fuzz.mjs [--seconds N] [--target NAME] [--fresh]
// Needs no nightly toolchain: the coverage counters that libFuzzer steers by are an LLVM pass that
// stable compilers have, too. (With `cargo fuzz` the same targets run under sanitizers.)
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { cargo, cargoEnvironment } from "./cargo.mjs";
import { findProgram, lastLines, run } from "./command.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { HELPER_WORKSPACE } from "./project.mjs";
import { stepLine } from "./steps.mjs";

const FOLDER = join(HELPER_WORKSPACE, "fuzz");
const TARGET = "x86_64-unknown-linux-gnu";
const RECORDED = join(HELPER_WORKSPACE, "crates/recorder/tests/corpus");
const DEFAULT_SECONDS = 60;
/** No input of a target needs more. */
const MAX_INPUT_BYTES = 16_384;
/** An input that takes longer is a fault. */
const INPUT_SECONDS = 10;

const COVERAGE = ["-Cpasses=sancov-module", ...["level=4", "inline-8bit-counters", "pc-table", "trace-compares"].map((pass) => `-Cllvm-args=-sanitizer-coverage-${pass}`), "--cfg=fuzzing"];

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
  const args = ["build", "--release", "--locked", "--bins", "--target", TARGET];
  const { code, stderr } = await run(cargo(), args, {
    cwd: FOLDER,
    env: { ...cargoEnvironment(), RUSTFLAGS: COVERAGE.join(" ") },
    ...(signal && { signal }),
  });
  if (code !== 0) throw new Problem("the fuzz targets do not build", lastLines(stderr), `cd native-helper/fuzz && cargo ${args.join(" ")}`);
}

/**
 * Inputs to begin with, beside those found in earlier runs.
 * @param {string} target
 * @returns {Buffer[]}
 */
function seeds(target) {
  const recorded = (/** @type {string} */ name) => gunzipSync(readFileSync(join(RECORDED, "otp27", name)));
  switch (target) {
    case "proc_maps":
      return [readFileSync("/proc/self/maps").subarray(0, 4096)];
    case "rpc_frames": {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "extrospect/attach", params: { pid: 1 } });
      return [Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`)];
    }
    // Text name, count, then a string of words: see the crate `corpus`.
    case "raw_samples": {
      const file = recorded("bif.gz");
      const at = 8 + Number(file.readBigUInt64LE(0)) + 8;
      return [file.subarray(at + 8, at + 8 + Number(file.readBigUInt64LE(at)))];
    }
    case "vm_tables":
      return [recorded("vm.gz").subarray(0, MAX_INPUT_BYTES)];
    case "beam_file":
      return [compiledModule()];
    case "elf_image":
      return [readFileSync(process.execPath).subarray(0, MAX_INPUT_BYTES), ...libraries()];
    default:
      return [];
  }
}

/** A module as the compiler makes it, where there is one: with atoms, funs and literals. */
function compiledModule() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-fuzz-"));
  try {
    writeFileSync(join(folder, "seed.erl"), '-module(seed).\n-export([run/1]).\nrun(X) -> {fun() -> X end, "a literal", <<"bytes">>}.\n');
    if (findProgram("erlc") === null) return Buffer.from("FOR1\0\0\0\x0cBEAMCode\0\0\0\0");
    execFileSync("erlc", ["-o", folder, join(folder, "seed.erl")]);
    return readFileSync(join(folder, "seed.beam"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Small libraries with debug information: no fuzzer invents that by itself. */
function libraries() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-fuzz-"));
  const source = "static inline int half(int x) { return x / 2 + 1; }\nint whole(int x) { int sum = 0; while (x > 1) sum += x = half(x); return sum; }\n";
  const flags = ["-O2", "-shared", "-nostdlib", "-Wl,-z,noseparate-code", "-x", "c", "-"];
  try {
    return ["-gdwarf-4", "-gdwarf-5"].map((version) => {
      const library = join(folder, "lib.so");
      execFileSync("cc", [version, "-o", library, ...flags], { input: source });
      return readFileSync(library);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} target
 * @param {number} seconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<{code: number, output: string, runs: number}>}
 */
export async function fuzz(target, seconds, signal) {
  const corpus = join(FOLDER, "corpus", target);
  const artifacts = join(FOLDER, "artifacts", target);
  for (const folder of [corpus, artifacts]) mkdirSync(folder, { recursive: true });
  seeds(target).forEach((bytes, index) => writeFileSync(join(corpus, `seed-${index}`), bytes));
  const { code, stderr } = await run(
    join(FOLDER, "target", TARGET, "release", target),
    [`-max_total_time=${seconds}`, `-max_len=${MAX_INPUT_BYTES}`, `-timeout=${INPUT_SECONDS}`, "-rss_limit_mb=1024", `-artifact_prefix=${artifacts}/`, "-print_final_stats=1", corpus],
    { cwd: FOLDER, ...(signal && { signal }) },
  );
  return { code, output: stderr, runs: Number(/stat::number_of_executed_units:\s*(\d+)/.exec(stderr)?.[1] ?? 0) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { values: options } = parseArgs({
      options: { seconds: { type: "string", default: `${DEFAULT_SECONDS}` }, target: { type: "string" }, fresh: { type: "boolean", default: false } },
    });
    const seconds = Number(options.seconds);
    const targets = fuzzTargets().filter((name) => options.target === undefined || name === options.target);
    if (!(seconds > 0) || targets.length === 0) {
      throw new Problem("nothing to fuzz", `targets are ${fuzzTargets().join(", ")}`, "npm run fuzz -- [--seconds N] [--target NAME] [--fresh]");
    }
    if (options.fresh) rmSync(join(FOLDER, "corpus"), { recursive: true, force: true });
    await buildFuzzTargets();
    let failed = 0;
    for (const target of targets) {
      const began = performance.now();
      const { code, output, runs } = await fuzz(target, seconds);
      console.log(`${stepLine(target, code === 0 ? "ok" : "FAILED", performance.now() - began)}, ${runs} inputs`);
      if (code === 0) continue;
      failed += 1;
      console.log(lastLines(output, 30));
    }
    process.exitCode = failed === 0 ? 0 : 1;
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
