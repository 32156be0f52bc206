// What the editor spends on many nodes at once: recorded streams, an increment of each a second, taken in as they are live.
// node bench/several-nodes.mjs [NODES] [SECONDS]
import { readFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "../scripts/project.mjs";
import { repeatCapture } from "./large-capture.mjs";

const REAL = "test/unit/capture/fixtures/demo.pb.gz";
/** 99 Hz and eight schedulers of which all are busy: more than most nodes have. */
const SAMPLES_PER_SECOND = 99 * 8;
/** Before what is measured: functions and stacks of a program are mostly known after some seconds. */
const BEFORE_SECONDS = 60;

const [nodes = 32, seconds = 60] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "extrospect-nodes-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const outfile = join(folder, "joined.mjs");
await build({
  absWorkingDir: ROOT,
  stdin: {
    contents: 'export { newCapture } from "./extension/src/capture/capture-model.js"; export { joinedCapture } from "./extension/src/capture/joined-capture.js";',
    resolveDir: ROOT,
    loader: "ts",
  },
  bundle: true,
  format: "esm",
  platform: "node",
  outfile,
  logLevel: "error",
});
/** @type {typeof import("../extension/src/capture/capture-model.js") & typeof import("../extension/src/capture/joined-capture.js")} */
const { newCapture, joinedCapture } = await import(pathToFileURL(outfile).href);

const first = BEFORE_SECONDS * SAMPLES_PER_SECOND;
const { members } = repeatCapture(readFileSync(join(ROOT, REAL)), { samples: first + seconds * SAMPLES_PER_SECOND, variety: 0.05, tailSamples: SAMPLES_PER_SECOND, tailFrom: first });
const perSecond = members.slice(-seconds).map((member) => Buffer.from(member).toString("base64"));
const before = members.slice(0, -seconds);

const joined = joinedCapture();
const captures = Array.from({ length: nodes }, (_, index) => {
  const capture = newCapture();
  joined.addNode(`node${index}@host`, capture);
  for (const member of before) capture.append(member);
  return capture;
});
joined.catchUp();

/** @type {import("../contract/capture-answers.js").FlameOptions} */
const GRAPH = { inverted: false, hideNative: false, hideKernel: false, collapseRecursion: true, groupBy: "none" };
const spent = { "base64, inflate, decode and count": 0, join: 0, "flame graph": 0, "flame graph by node": 0, "table of nodes, functions and facets": 0 };
/** @param {keyof typeof spent} what @param {() => unknown} work */
function timed(what, work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  spent[what] += (user + system) / 1000;
}
for (const member of perSecond) {
  timed("base64, inflate, decode and count", () => {
    for (const capture of captures) capture.append(Buffer.from(member, "base64"));
  });
  timed("join", () => joined.catchUp());
  timed("flame graph", () => joined.flame(GRAPH));
  timed("flame graph by node", () => joined.flame({ ...GRAPH, groupBy: "node" }));
  timed("table of nodes, functions and facets", () => [joined.nodeShares(), joined.top(), joined.facets(), joined.timeline(240)]);
}
const percent = (/** @type {number} */ ms) => `${(ms / seconds / 10).toFixed(2)} % of a core`;
console.log(
  `${nodes} nodes, ${seconds} s, ${SAMPLES_PER_SECOND} sample records a second and node; ${joined.totals.samples} samples, ${joined.functions.length} functions, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`,
);
for (const [what, ms] of Object.entries(spent)) console.log(`  ${what}: ${percent(ms)}, ${(ms / seconds).toFixed(1)} ms a second`);
console.log(
  `  without views: ${percent(spent.join + spent["base64, inflate, decode and count"])}; with both views built every second: ${percent(Object.values(spent).reduce((sum, ms) => sum + ms, 0))}`,
);
