// npm run bench [-- --quick] [--only PART,...] [--json FILE] [--write] [--strict]: the cost of profiling, and the
// speed of the views.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir } from "node:os";
import { join } from "node:path";
import { buildHelper } from "../scripts/build-helper.mjs";
import { ROOT } from "../scripts/project.mjs";
import { prepareOtp, OTP_RELEASES } from "../test/vms/otp.mjs";
import { attachOnBareVm, attachOnRabbitmq } from "./attach.mjs";
import { captureModelTimes } from "./capture-model.mjs";
import { comparingTimes } from "./comparing.mjs";
import { profilingCost } from "./cost.mjs";
import { historyTimes } from "./history.mjs";
import { insideCost } from "./inside.mjs";
import { lockCost } from "./lock.mjs";
import { costByProcessors, processorsTable } from "./processors.mjs";
import { programs, programsOf } from "./measured-by.mjs";
import { helperBuilt, perfInstalled } from "./profilers.mjs";
import { pairedText } from "./pairs.mjs";
import { measurementsPage, restatedPage } from "./report.mjs";
import { severalNodesCost } from "./several-nodes.mjs";
import { slowdown } from "./slowdown.mjs";
import { shown } from "./stats.mjs";
import { stopsOfSamples } from "./stops.mjs";
import { priceOfSwitch } from "./switches.mjs";
import { verdicts } from "./wanted.mjs";
import { measuredCommit } from "../scripts/measured-commit.mjs";
import { optionsOrExit } from "../scripts/options.mjs";

const PAGE = join(ROOT, "docs/measurements.md");
const PARTS = /** @type {const} */ ([
  "slowdown",
  "stops",
  "switch",
  "cost",
  "attach",
  "flame",
  "model",
  "compare",
  "history",
  "nodes",
  "inside",
  "lock",
  "processors",
  "first",
  "tests",
]);
/** Parts that are only measured when they are named. */
const LONG = ["processors", "first", "tests"];
const PROCESSORS = "2,8,32,64";
const USAGE = `npm run bench -- [--quick] [--only ${PARTS.join(",")}] [--json FILE] [--from FILE] [--write] [--page] [--strict]

  --quick     few and short windows: 6 minutes instead of one to two hours
  --only      these parts, comma between. Three are only measured when they are named, each takes some 20
              minutes more: tests runs the tests that measure and judges their figures; processors captures
              in emulated machines of so many processors; first drives the editor from an open window to the
              hottest line in five projects (npm run package makes its extension)
  --processors  how many those have, comma between; ${PROCESSORS}
  --json      writes what was measured into a file
  --from      takes up such a file: parts that are not measured anew stay
  --write     makes docs/measurements.md; sections that were not measured stay, with their date
  --page      measures nothing: the page only states anew which sections are of an older program, and which there are not
  --strict    a figure that misses what is wanted makes the exit code 1`;

const { values: options } = optionsOrExit("npm run bench --", {
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: PARTS.filter((part) => !LONG.includes(part)).join(",") },
    processors: { type: "string", default: PROCESSORS },
    json: { type: "string" },
    from: { type: "string" },
    write: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const parts = options.only.split(",");
const unknown = parts.filter((part) => !(/** @type {readonly string[]} */ (PARTS).includes(part)));
if (options.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `there is no part ${unknown.join(", ")}\n\n${USAGE}` : USAGE);
  process.exit(unknown.length > 0 ? 2 : 0);
}
if (options.page) {
  writeFileSync(PAGE, restatedPage(readFileSync(PAGE, "utf8"), programs()));
  process.exit(0);
}
/** @param {(typeof PARTS)[number]} part */
const isWanted = (part) => parts.includes(part);

const rounds = options.quick ? 2 : 7;
const windowSeconds = options.quick ? 4 : 6;
const folder = mkdtempSync(join(tmpdir(), "extrospect-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const progress = (/** @type {string} */ text) => process.stderr.write(`  ${text}\n`);
/** @type {Record<string, any>} */
const earlier = options.from ? JSON.parse(readFileSync(options.from, "utf8")) : {};
/** @type {Record<string, any>} */
const results = {
  ...earlier,
  programs: { ...earlier.programs, ...programsOf(parts) },
  commit: measuredCommit("docs/measurements.md"),
  cpus: cpus().length,
  kernel: release(),
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  loadBefore: loadavg()[0]?.toFixed(1),
  quick: options.quick,
  rounds,
};

if (!perfInstalled) console.log("perf not installed: apt-get install linux-perf (the rest is measured without it)");
if (!helperBuilt) console.log("the helper is not built: npm run build (the rest is measured without it)");
// The measured helper is the shipped build; `npm test` and `npm start` replace it with a quick build.
else progress(`helper: ${await buildHelper()}`);
const otp = await prepareOtp("25");

/** @param {string} title @param {Record<string, import("./stats.mjs").Summary>} table */
function print(title, table) {
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(table)) console.log(`  ${name.padEnd(34)} ${shown(value)}`);
}

/** @param {string} title @param {Record<string, import("./throughput.mjs").Slowdown>} table */
function printSlowdown(title, table) {
  for (const measure of /** @type {const} */ (["perCpuSecond", "perSecond"])) {
    const rows = Object.entries(table).map(([name, both]) => [name, both[measure]]);
    print(
      `${title}, work per ${measure === "perSecond" ? "second" : "processor second of the target"}, with / without (1 = no slowdown)`,
      Object.fromEntries(rows),
    );
  }
}

const common = { otp, rounds, folder, progress };
if (isWanted("slowdown")) {
  const most = options.quick ? { claimed: 6, compared: 3 } : { claimed: 300, compared: 60 };
  results.slowdown = await slowdown({ otp, most, seconds: options.quick ? 5 : 30, folder, progress });
  console.log("\nWork per processor second of the target, with / without (1 = no slowdown), and the differences");
  for (const [name, { perCpuSecond }] of Object.entries({
    ...results.slowdown.stock,
    ...results.slowdown.framePointers,
  }))
    console.log(`  ${name.padEnd(34)} ${pairedText(/** @type {any} */ (perCpuSecond))}`);
}
if (isWanted("stops")) {
  results.stops = await stopsOfSamples({ ...common, seconds: windowSeconds });
  print("How long a sample stops its thread, us", results.stops);
}
if (isWanted("switch")) {
  results.switches = await priceOfSwitch({ ...common, seconds: windowSeconds });
  print("Price of a switch, us for each wait", results.switches);
}
if (isWanted("cost")) {
  results.cost = await profilingCost({
    otp,
    rounds: Math.min(rounds, 5),
    seconds: windowSeconds,
    hz: 997,
    folder,
    progress,
  });
  print("Processor time of the profiler for the whole run, 997 Hz, stock VM", results.cost);
}
if (isWanted("attach") && helperBuilt) {
  for (const otpRelease of OTP_RELEASES) {
    const installation = await prepareOtp(otpRelease);
    const attach = {
      ...(await attachOnRabbitmq(installation, options.quick ? 3 : 7, folder)),
      ...(await attachOnBareVm(installation, rounds)),
    };
    results[`rabbitmq${otpRelease}`] = attach;
    print(`RabbitMQ on OTP ${otpRelease}`, attach);
  }
}
if (isWanted("flame")) {
  // Its types are a page's, and checked with the webview tests.
  const { flameGraphTimes, printFlameTimes } = await import(new URL("flame-graph.mjs", import.meta.url).href);
  results.flameGraph = await flameGraphTimes(options.quick ? 100_000 : 500_000, progress);
  printFlameTimes(results.flameGraph);
}
if (isWanted("model")) {
  results.captureModel = await captureModelTimes({ folder, rounds: options.quick ? 2 : 5, progress });
  for (const [title, table] of Object.entries(results.captureModel)) print(title, table);
}
if (isWanted("compare") && helperBuilt) {
  results.comparing = await comparingTimes({ folder, rounds: options.quick ? 2 : 5, progress });
  print("Two captures of 1,000,000 samples, compared", results.comparing);
}
if (isWanted("history") && helperBuilt) {
  results.history = await historyTimes({ folder, rounds: options.quick ? 2 : 5, progress });
  print("A history of 1,000 captures", results.history);
}
if (isWanted("nodes")) {
  results.nodes = await severalNodesCost(32, 60);
  console.log("\n32 nodes captured at once, percent of a core");
  for (const [what, share] of Object.entries({ ...results.nodes.percent, all: results.nodes.all }))
    console.log(`  ${what.padEnd(40)} ${share.toFixed(2)}`);
}
if (isWanted("inside") && helperBuilt) {
  results.inside = [];
  for (const processes of [10_000, 100_000]) {
    const cost = await insideCost({ ...common, rounds: Math.min(rounds, 5), windowSeconds, processes });
    results.inside.push(cost);
    print(`A table of ${processes} processes, attaching and JSON among it`, cost.snapshot);
    print(`Processor time of the VM for a table of ${processes} each second, ms`, cost.targetMs);
    printSlowdown(`A VM with ${processes} resting processes`, cost.slowdown);
  }
}
if (isWanted("lock")) {
  results.lock = lockCost({ rounds: Math.min(rounds, 5), progress });
  print("Being locked in", results.lock);
}
if (isWanted("processors") && helperBuilt) {
  results.processors = await costByProcessors({ otp, processors: options.processors.split(",").map(Number), progress });
  console.log(`\n${processorsTable(results.processors)}`);
}
if (isWanted("first")) {
  const { firstMinutes } = await import("./first-minutes.mjs");
  results.firstMinutes = await firstMinutes(progress);
  console.log("\nFrom an open window to the hottest line");
  for (const { project, actions, seconds } of results.firstMinutes)
    console.log(`  ${project.padEnd(34)} ${seconds} s, ${actions ?? "?"} actions`);
}
if (isWanted("tests")) {
  const { judgedByTests, printJudged, SAYING } = await import("./tests-say.mjs");
  results.tests = await judgedByTests(SAYING, progress);
  printJudged(results.tests);
}

console.log("\nWanted and seen");
const judged = verdicts(results);
for (const { what, wanted, seen, verdict } of judged)
  console.log(`  ${verdict.padEnd(12)} ${what}: ${seen} (${wanted})`);
if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
if (options.write) writeFileSync(PAGE, measurementsPage(results, readFileSync(PAGE, "utf8"), programs()));
process.exit(
  options.strict &&
    (judged.some(({ verdict }) => verdict === "missed") ||
      (results.tests ?? []).some((/** @type {{passes: boolean}} */ { passes }) => !passes))
    ? 1
    : 0,
);
