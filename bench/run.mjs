// npm run bench [-- --quick] [--json FILE]: what profiling costs, from interleaved runs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepareOtp, OTP_RELEASES } from "../test/vms/otp.mjs";
import { attachOnRabbitmq } from "./attach.mjs";
import { captureModelTimes } from "./capture-model.mjs";
import { profilingCost } from "./cost.mjs";
import { helperAt, helperBuilt, perfAt, perfInstalled } from "./profilers.mjs";
import { shown } from "./stats.mjs";
import { nothing, throughputRatios } from "./throughput.mjs";

const { values: options } = parseArgs({
  options: { quick: { type: "boolean", default: false }, strict: { type: "boolean", default: false }, tests: { type: "boolean", default: false }, json: { type: "string" }, help: { type: "boolean", default: false } },
});
if (options.help) {
  console.log("npm run bench -- [--quick] [--tests] [--strict] [--json FILE]   about 14 minutes, 4 with --quick\n\n  --tests    run the tests that measure, too, and judge what they say: some 20 minutes more\n  --strict   fail when one of those figures is not what is wanted");
  process.exit(0);
}
const rounds = options.quick ? 2 : 7;
const phaseSeconds = options.quick ? 4 : 6;
const folder = mkdtempSync(join(tmpdir(), "extrospect-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const progress = (/** @type {string} */ text) => process.stderr.write(`  ${text}\n`);
/** @type {Record<string, any>} */
const results = { cpus: cpus().length, node: process.version, quick: options.quick };

if (!perfInstalled) console.log("perf not installed: apt-get install linux-perf (the rest is measured without it)");
if (!helperBuilt) console.log("the helper is not built: npm run build (the rest is measured without it)");
const otp = await prepareOtp("25");

/** @param {string} title @param {Record<string, import("./stats.mjs").Summary>} table */
function print(title, table) {
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(table)) console.log(`  ${name.padEnd(34)} ${shown(value)}`);
}

const common = { otp, rounds, phaseSeconds, folder, progress };
results.throughput = await throughputRatios({
  ...common,
  framePointers: false,
  profilers: [
    nothing(),
    ...(helperBuilt ? [helperAt(99), helperAt(997)] : []),
    ...(perfInstalled ? [perfAt(99, "dwarf"), perfAt(997, "dwarf")] : []),
  ],
});
print("Throughput of a stock VM, with / without (1 = no slowdown)", results.throughput);

if (perfInstalled) {
  results.throughputFramePointers = await throughputRatios({
    ...common,
    framePointers: true,
    profilers: [perfAt(99, "fp"), perfAt(997, "fp")],
  });
  print("Throughput of a VM started with +JPperf true, with / without", results.throughputFramePointers);
}

results.cost = await profilingCost({ otp, rounds: Math.min(rounds, 5), seconds: phaseSeconds, hz: 997, folder, progress });
print("CPU time of the profiler for the whole run, 997 Hz, stock VM", results.cost);

if (helperBuilt) {
  for (const release of OTP_RELEASES) {
    const attach = await attachOnRabbitmq(await prepareOtp(release), options.quick ? 3 : 7, folder);
    results[`rabbitmq${release}`] = attach;
    print(`RabbitMQ on OTP ${release}`, attach);
  }
}
// Its types are a page's, and checked with the webview tests.
const { flameGraphTimes, printFlameTimes } = await import(new URL("flame-graph.mjs", import.meta.url).href);
results.flameGraph = await flameGraphTimes(options.quick ? 100_000 : 500_000, progress);
printFlameTimes(results.flameGraph);
results.captureModel = await captureModelTimes({ folder, rounds: options.quick ? 2 : 5, progress });
for (const [title, table] of Object.entries(results.captureModel)) print(title, table);

let missed = 0;
if (options.tests || options.strict) {
  const { judgedByTests, printJudged, SAYING } = await import("./tests-say.mjs");
  results.tests = await judgedByTests(SAYING, progress);
  printJudged(results.tests);
  missed = results.tests.filter((/** @type {{passes: boolean}} */ { passes }) => !passes).length;
  console.log(`${missed} of ${results.tests.length} figures missed`);
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
process.exit(options.strict && missed > 0 ? 1 : 0);
