// Captures of a driver that does fixed work in sections and knows the processor time of each
// (test/vms/src/bench_sections.erl).
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../scripts/project.mjs";
import { HELPER } from "../test/e2e/helper.mjs";
import { mustRun } from "./measured-command.mjs";

const SETTLES_MS = 500;
/** One scheduler that does not wait busily: its thread's clock is the work's. */
const QUIET = ["+S", "1:1", "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "-noshell"];

/** @typedef {{file: string, truth: Map<string, number>}} Recorded   microseconds a round, by section; `` is all */

/** Compiles a driver and what runs it. @param {string} folder @param {string} source */
export function compileDriver(folder, source) {
  execFileSync("erlc", ["-o", folder, join(ROOT, "test/vms/src/bench_sections.erl"), source], { stdio: "inherit" });
}

/**
 * Records it once, in a VM of its own. An earlier recording under that name is reused.
 * @param {object} wanted
 * @param {string} wanted.folder        where the driver is and the capture goes
 * @param {string} wanted.name          of the capture
 * @param {string} wanted.driver        module
 * @param {[string, ...string[]]} wanted.erl   command that starts a VM
 * @param {string[]} wanted.paths       of the code that the driver runs
 * @param {number} wanted.seconds
 * @param {number} wanted.hz
 * @param {string[]} [wanted.record]    more arguments of `record`
 * @returns {Promise<Recorded>}
 */
export async function recordSections({ folder, name, driver, erl, paths, seconds, hz, record = [] }) {
  const file = join(folder, `${name}.pb.gz`);
  const truthFile = join(folder, `${name}.json`);
  if (existsSync(truthFile)) return { file, truth: new Map(JSON.parse(readFileSync(truthFile, "utf8"))) };
  const counter = join(folder, `${name}.rounds`);
  const [command, ...first] = erl;
  const vm = spawn(
    command,
    [
      ...first,
      ...QUIET,
      ...[folder, ...paths].flatMap((path) => ["-pa", path]),
      "-run",
      "bench_sections",
      "start",
      driver,
      counter,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = createInterface({ input: vm.stdout })[Symbol.asyncIterator]();
  try {
    const pid = /^ready (\d+)$/.exec((await lines.next()).value ?? "")?.[1];
    if (pid === undefined) throw new Error(`${driver} does not start: ${[...erl, ...paths].join(" ")}`);
    await new Promise((done) => setTimeout(done, SETTLES_MS));
    await mustRun([
      HELPER,
      "record",
      pid,
      "-d",
      String(seconds),
      "-F",
      String(hz),
      "-o",
      file,
      ...record,
      "--work-name",
      "rounds",
      "--work-command",
      `cat ${counter}`,
    ]);
    vm.stdin.write("stop\n");
    const [{ rounds }, ...sections] = JSON.parse((await lines.next()).value);
    const truth = sections.map((/** @type {any} */ each) => [each.name, each.cpu_us / rounds]);
    const all = truth.reduce((/** @type {number} */ sum, /** @type {[string, number]} */ [, us]) => sum + us, 0);
    writeFileSync(truthFile, JSON.stringify([["", all], ...truth]));
    return { file, truth: new Map([["", all], ...truth]) };
  } finally {
    vm.kill("SIGKILL");
  }
}

/** Mean over captures, as the logarithm sees them. @param {Recorded[]} captures @param {string} section */
export function meanOf(captures, section) {
  return Math.exp(captures.reduce((sum, { truth }) => sum + Math.log(truth.get(section) ?? NaN), 0) / captures.length);
}
