// How long two large captures take to compare: on the command line, and in the editor, by its helper and where it has none.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { buildEditorModule, EDITOR_MODULE } from "../scripts/build-editor-module.mjs";
import { ROOT } from "../scripts/project.mjs";
import { HELPER } from "../test/e2e/helper.mjs";
import { repeatCapture } from "./large-capture.mjs";
import { summary } from "./stats.mjs";

const run = promisify(execFile);
const REAL = "test/unit/capture/fixtures/demo.pb.gz";
const SAMPLES = 1_000_000;
const VARIETY = 0.05;
const MOST_OUTPUT_BYTES = 1 << 28;

/** @param {{folder: string, rounds: number, progress: (text: string) => void}} wanted */
export async function comparingTimes({ folder, rounds, progress }) {
  const real = readFileSync(join(ROOT, REAL));
  // Two different captures: no user compares a capture with itself.
  const sides = ["before", "after"].map((name, index) => {
    const bytes = Buffer.concat(repeatCapture(real, { samples: SAMPLES, variety: VARIETY, seed: index + 1 }).members);
    const file = join(folder, `${name}.pb.gz`);
    writeFileSync(file, bytes);
    return { file, bytes };
  });
  const [before = "", after = ""] = sides.map(({ file }) => file);
  const { build } = await import("esbuild");
  const outfile = join(folder, "editor-module.mjs");
  const thread = join(folder, "editor-module-thread.cjs");
  const source = (/** @type {string} */ name) => [`extension/src/editor-module/${name}.ts`];
  const common = /** @type {const} */ ({ absWorkingDir: ROOT, bundle: true, platform: "node", logLevel: "error" });
  await build({ ...common, entryPoints: source("editor-module"), format: "esm", outfile });
  await build({ ...common, entryPoints: source("editor-module-thread"), format: "cjs", outfile: thread });
  /** @type {typeof import("../extension/src/editor-module/editor-module.js")} */
  const { compareCaptures } = await import(pathToFileURL(outfile).href);
  // The module as it is shipped: `npm test` puts a quick build in its place.
  progress(`editor module: ${await buildEditorModule()}`);
  const module = join(ROOT, EDITOR_MODULE);
  const side = (/** @type {string} */ name) => ({ name, captures: [{ name, own: null }] });
  const request = {
    base: side("before"),
    new: side("after"),
    measure: null,
    anyway: false,
    base_texts: {},
    new_texts: {},
    renamed: [],
  };
  /** @type {Record<string, number[]>} */
  const times = { command_line_ms: [], editor_ms: [], editor_without_helper_ms: [] };
  const editors = { editor_ms: { module, thread, helper: HELPER }, editor_without_helper_ms: { module, thread } };
  for (let round = 0; round < rounds; round++) {
    let startedMs = performance.now();
    await run(HELPER, ["diff", before, "--", after, "--json"], { maxBuffer: MOST_OUTPUT_BYTES });
    times["command_line_ms"]?.push(performance.now() - startedMs);
    for (const [name, parts] of Object.entries(editors)) {
      startedMs = performance.now();
      const answer = await compareCaptures(
        parts,
        request,
        sides.map(({ bytes }) => bytes),
      );
      times[name]?.push(performance.now() - startedMs);
      if (answer.type !== "compared") throw new Error(`not compared: ${JSON.stringify(answer.value)}`);
    }
    progress(`comparing two captures of ${SAMPLES} samples, ${round + 1} of ${rounds}`);
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, summary(values)]));
}
