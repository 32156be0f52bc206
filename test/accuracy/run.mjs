// npm run accuracy: every workload on every release under every engine, and docs/accuracy.md.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release as kernelRelease, tmpdir } from "node:os";
import { join } from "node:path";
import { ALL_OTP_RELEASES } from "../vms/otp.mjs";
import { ALL_ENGINES, enginesHere } from "./engines.mjs";
import { measure } from "./measure.mjs";
import { isOf, KNOWN, NAMES, WORKLOADS } from "./known.mjs";
import { measureNaps, NAPS } from "./naps.mjs";
import { measureProgram, PROGRAMS } from "./programs.mjs";
import { measureStorm, STORM } from "./reload-storm.mjs";
import { accuracyPage, keptRow, rowsAfter } from "./report.mjs";
import { upperBound } from "./statistics.mjs";
import { describe, faultsOf } from "./verdict.mjs";
import { measuredCommit } from "../../scripts/measured-commit.mjs";
import { optionsOrExit } from "../../scripts/options.mjs";

const HZ = 997;
/** Added while an interval is wider than so many points to each side: other work on the machine spreads the batches. */
const [MORE_RECORDINGS, ENOUGH_POINTS] = [3, 4];

const { values: options } = optionsOrExit("npm run accuracy --", {
  options: {
    otp: { type: "string" },
    engine: { type: "string" },
    workload: { type: "string" },
    seconds: { type: "string", default: "5" },
    recordings: { type: "string", default: "3" },
    results: { type: "string", default: join(import.meta.dirname, "rows.json") },
    page: { type: "boolean", default: false },
    output: { type: "string", default: join(import.meta.dirname, "../../docs/accuracy.md") },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(`npm run accuracy -- [options]   lists are separated by commas; the default is all of it

  --otp LIST          ${ALL_OTP_RELEASES.join(",")}
  --engine LIST       ${ALL_ENGINES.join(",")}, as far as they work here
  --workload LIST     ${NAMES.join(",")}
  --seconds N         of one recording [${options.seconds}]
  --recordings N      for each row [${options.recordings}]
  --results FILE      all rows; those that are not measured stay [test/accuracy/rows.json]
  --page              only writes the page anew, of the rows that are kept
  --output FILE       the page [docs/accuracy.md]`);
  process.exit(0);
}
const names = chosen("workload", options.workload, NAMES);
const releases = chosen("otp", options.otp, ALL_OTP_RELEASES);
const [seconds, recordings] = [positive("seconds", options.seconds), positive("recordings", options.recordings)];
/** @type {import("./report.mjs").KeptRow[]} */
let rows = existsSync(options.results) ? JSON.parse(readFileSync(options.results, "utf8")) : [];
if (options.page) {
  writeFileSync(options.output, accuracyPage(rows, KNOWN));
  process.exit(0);
}
const engines = chosen("engine", options.engine, await enginesHere());
const how = {
  cpus: cpus().length,
  kernel: kernelRelease().replace(/^(\d+\.\d+).*/, "$1"),
  event: "cpu-clock",
  hz: HZ,
  seconds,
  recordings,
};
// Rows and page change while it is measured.
const commit = measuredCommit("test/accuracy/rows.json", "docs/accuracy.md");
const folder = mkdtempSync(join(tmpdir(), "extrospect-accuracy-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let failures = 0;
for (const release of releases) {
  for (const name of names) {
    for (const engine of engines) {
      const began = performance.now();
      console.log(`\nOTP ${release}, ${engine}, ${name}`);
      const row = await rowOf(release, engine, name).catch((/** @type {Error} */ error) => {
        failures += 1;
        console.log(`  FAILED: ${error.message}`);
        return null;
      });
      if (row === null) continue;
      failures += row.faults.length > 0 ? 1 : 0;
      for (const fault of row.faults) console.log(`  FAILED: ${fault}`);
      console.log(`  ${((performance.now() - began) / 1000).toFixed(0)} s`);
      rows = rowsAfter(rows, [keptRow(row, how, commit)], NAMES);
      writeFileSync(options.results, `[\n${rows.map((each) => `  ${JSON.stringify(each)}`).join(",\n")}\n]\n`);
    }
  }
}
writeFileSync(options.output, accuracyPage(rows, KNOWN));
console.log(`\n${rows.length} rows, ${failures} of this run failed; ${options.output}`);
process.exit(failures === 0 ? 0 : 1);

/**
 * @param {import("../vms/otp.mjs").OtpRelease} release
 * @param {import("./workloads.mjs").Engine} engine
 * @param {string} name
 * @returns {Promise<import("./report.mjs").Row | null>}
 */
async function rowOf(release, engine, name) {
  const plan = {
    release,
    engine,
    hz: HZ,
    seconds,
    recordings,
    more: MORE_RECORDINGS,
    enough: ENOUGH_POINTS,
    gaps: true,
    folder,
  };
  const common = { release, engine, name, date: new Date().toISOString().slice(0, 10) };
  const workload = WORKLOADS.find((one) => one.name === name);
  if (!isOf(release, name, engine)) return null;
  if (workload !== undefined) {
    const seen = await measure(workload, plan);
    for (const line of describe(workload, engine, seen)) console.log(`  ${line}`);
    const { reasons, ...figures } = seen;
    return {
      ...common,
      ...figures,
      title: workload.title,
      wrongBound: upperBound(seen.wrong, seen.checked),
      reasons: [...reasons].map(([reason, samples]) => `${reason} (${samples})`),
      allowancePoints: workload.allowancePoints[engine],
      faults: faultsOf(workload, engine, seen),
    };
  }
  const measured = { [STORM.name]: measureStorm, [NAPS.name]: measureNaps }[name];
  if (measured !== undefined) {
    const row = await measured(plan);
    console.log(`  ${row.title}; wrong ${row.wrong} of ${row.checked}`);
    return { ...common, ...row };
  }
  const program = PROGRAMS.find((one) => one.name === name);
  const seen = program === undefined ? null : await measureProgram(program, plan);
  if (program === undefined || seen === null) return null;
  console.log(`  ${seen.samples} samples; complete ${seen.complete} of ${seen.inProcess}, unproven ${seen.unproven}`);
  return {
    ...common,
    ...seen,
    title: program.title,
    checked: null,
    wrong: 0,
    wrongBound: 1,
    reasons: [],
    allowancePoints: null,
    shares: [],
    slope: null,
    faults: [],
  };
}

/**
 * @template {string} Name
 * @param {string} option
 * @param {string | undefined} text
 * @param {Name[]} all
 * @returns {Name[]}
 */
function chosen(option, text, all) {
  if (text === undefined) return all;
  return text.split(",").map((word) => {
    const found = all.find((name) => name === word);
    if (found === undefined) fail(`--${option} ${word}: there is ${all.join(", ")}`);
    return found;
  });
}

/** @param {string} option @param {string} text */
function positive(option, text) {
  const number = Number(text);
  if (!(number > 0)) fail(`--${option} ${text}: not a number above 0`);
  return number;
}

/** @param {string} why @returns {never} */
function fail(why) {
  console.error(why);
  process.exit(2);
}
