// npm start [-- --elixir] [--no-editor] [--seconds N]: all set-up, a capture of the bundled demo VM, then the editor.
import { copyFileSync, mkdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildFirstHelper } from "./build-helper.mjs";
import { ELIXIR_DEMO, ERLANG_DEMO } from "./demo-programs.mjs";
import { startDemo } from "./demo-vm.mjs";
import { blame, quality, record, top } from "./helper-commands.mjs";
import { takeKeptBuilds, thisClone } from "./kept-builds.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { openEditor } from "./open-editor.mjs";
import { interruptionOfRun } from "./interruption.mjs";
import { exitCodeOf, explain, Interrupted, Problem } from "./problem.mjs";
import { HELPER_FILE, ROOT } from "./project.mjs";
import { heading, paragraph, step, wrapClauses } from "./steps.mjs";
import { BUILD_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

const FREQUENCY_HZ = 499;

/** @typedef {import("./demo-programs.mjs").DemoProgram} DemoProgram */

/**
 * @returns {{seconds: number, editor: boolean, program: DemoProgram}}
 *   the time of the capture, its program, and whether the editor is wanted
 */
function wanted() {
  try {
    const { values } = parseArgs({
      options: {
        "no-editor": { type: "boolean" },
        elixir: { type: "boolean" },
        seconds: { type: "string", default: "5" },
      },
    });
    const seconds = Number(values.seconds);
    if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600)
      return {
        seconds,
        editor: values["no-editor"] !== true,
        program: values.elixir === true ? ELIXIR_DEMO : ERLANG_DEMO,
      };
    throw new Error(`--seconds takes a whole number from 1 to 3600, not ${values.seconds}`);
  } catch (error) {
    throw new Problem(
      "these arguments make no sense",
      error instanceof Error ? error.message : "",
      "npm start -- [--elixir] [--no-editor] [--seconds N]",
    );
  }
}

/** More than cargo keeps busy. */
const ENOUGH_PROCESSORS = 4;

/**
 * @param {{program: DemoProgram, editor: boolean}} wanted
 * @param {AbortSignal} signal
 */
async function setUp({ program, editor }, signal) {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Problem(
      `Extrospect does not run on ${process.platform} ${process.arch}`,
      "it reads x86-64 Linux processes",
      "use an x86-64 Linux machine",
    );
  }
  heading("Set-up");
  // Only the editor needs its packages. On few processors the helper would wait for them.
  const atOnce = editor && availableParallelism() >= ENOUGH_PROCESSORS;
  await Promise.all([atOnce ? npmPackages(signal) : undefined, helperAndProgram(program, signal)]);
}

/** @param {AbortSignal} signal */
function npmPackages(signal) {
  return step("npm packages", async () => ({ outcome: await ensureNpmPackages({ signal }) }));
}

/**
 * @param {DemoProgram} program
 * @param {AbortSignal} signal
 */
async function helperAndProgram(program, signal) {
  await step("system packages", async (progress) => ({
    outcome: await ensureSystemPackages([...BUILD_REQUIREMENTS, ...program.requirements], { signal, progress }),
  }));
  await step("compiled crates", async () => takeKeptBuilds(thisClone(), signal));
  await step("helper", async (progress) => ({ outcome: await buildFirstHelper({ signal, progress }) }));
  await step("demo program", async () => ({ outcome: await program.compile() }));
}

/**
 * @param {number} pid
 * @param {string} project   the folder of the demo's sources
 * @param {number} seconds
 * @param {AbortSignal} signal
 */
async function captureAndShow(pid, project, seconds, signal) {
  const file = `captures/demo-${timeForFileName(new Date())}.pb.gz`;
  mkdirSync(join(ROOT, "captures"), { recursive: true });
  heading(`Capture: ${seconds} s at ${FREQUENCY_HZ} Hz, from outside`);
  const recorded = await record({ pid, seconds, frequencyHz: FREQUENCY_HZ, file, signal });
  paragraph(`${file}, ${(statSync(join(ROOT, file)).size / 1000).toFixed(0)} kB`);

  heading("Hot functions: which of the demo's own the CPU time goes to");
  paragraph(await top(file, project, 15, signal));
  heading("Blame copy_struct: who makes the VM copy terms");
  paragraph(await blame("copy_struct", file, 6, signal).catch(unseen));
  heading("Blame gc: who makes the VM collect garbage");
  paragraph(await blame("gc", file, 8, signal));
  heading("Quality: how far to trust this");
  paragraph(wrapClauses(quality(recorded)));
  return file;
}

/** A few seconds on a busy machine need not have seen it. @param {unknown} error */
function unseen(error) {
  if (error instanceof Problem && /nothing called/.test(error.why)) return error.why;
  throw error;
}

/** @param {string} file */
function nextSteps(file) {
  heading("Next");
  paragraph(
    [
      `The capture is in ${file}`,
      `${HELPER_FILE} top ${file} --only-erlang`,
      `${HELPER_FILE} blame gc ${file} --callers`,
      `${HELPER_FILE} record PID -d 10      a VM of your own (as root)`,
      `${HELPER_FILE} --help`,
    ].join("\n"),
  );
}

/** @param {Date} date */
function timeForFileName(date) {
  return date
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replace("T", "-")
    .replaceAll(":", "");
}

const interruption = interruptionOfRun();
/** @type {import("./demo-vm.mjs").Demo | null} */
let demo = null;
try {
  const { seconds, editor, program } = wanted();
  console.log("Extrospect: what a running Erlang VM does, seen from outside");
  await setUp({ program, editor }, interruption.signal);
  demo = await step("demo VM", async () => {
    const value = await startDemo(program);
    return { outcome: `pid ${value.pid}, a stock VM started without any flag`, value };
  });
  if (demo === null || interruption.signal.aborted) throw new Interrupted();
  const file = await captureAndShow(demo.pid, program.project, seconds, interruption.signal);
  if (editor) {
    heading("Set-up of the editor");
    await npmPackages(interruption.signal);
    // Where the editor looks for captures of the project it opens.
    mkdirSync(join(ROOT, program.project, "captures"), { recursive: true });
    copyFileSync(join(ROOT, file), join(ROOT, program.project, file));
    await openEditor({ program, demoPid: demo.pid, demoEnded: demo.ended, signal: interruption.signal });
  }
  await demo.stop();
  nextSteps(file);
} catch (error) {
  console.error(explain(error));
  process.exitCode = exitCodeOf(error);
} finally {
  await demo?.stop();
}
