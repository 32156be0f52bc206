// The cost of many nodes at once in the editor: recorded streams, an increment of each a second, taken in as they are
// live, with the flame graph by node and the table of functions in sight, built as often as panels build them.
// node bench/several-nodes.mjs [NODES] [SECONDS]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "../scripts/project.mjs";
import { repeatCapture } from "./large-capture.mjs";

const REAL = "test/unit/capture/fixtures/demo.pb.gz";
/** 99 Hz and eight schedulers of which all are busy: more than most nodes have. */
const SAMPLES_PER_SECOND = 99 * 8;
/** Before the measured part: most functions and stacks of a program are known after some seconds. */
const BEFORE_SECONDS = 60;
const ENTRY = `
  export { newCapture } from "./extension/src/capture/capture-model.js";
  export { joinedCapture } from "./extension/src/capture/joined-capture.js";
  export { RefreshPace } from "./extension/src/panels/capture-panel/refresh-pace.js";
`;

/** @returns {Promise<typeof import("../extension/src/capture/capture-model.js") & typeof import("../extension/src/capture/joined-capture.js") & typeof import("../extension/src/panels/capture-panel/refresh-pace.js")>} */
async function bundled() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-nodes-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "joined.mjs");
  await build({
    absWorkingDir: ROOT,
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "error",
  });
  return import(pathToFileURL(outfile).href);
}

/**
 * Percent of a core, by task.
 * @param {number} nodes @param {number} seconds
 */
export async function severalNodesCost(nodes = 32, seconds = 60) {
  const { newCapture, joinedCapture, RefreshPace } = await bundled();
  const first = BEFORE_SECONDS * SAMPLES_PER_SECOND;
  const { members } = repeatCapture(readFileSync(join(ROOT, REAL)), {
    samples: first + seconds * SAMPLES_PER_SECOND,
    variety: 0.05,
    tailSamples: SAMPLES_PER_SECOND,
    tailFrom: first,
  });
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
  const byNode = { inverted: false, hideNative: false, hideKernel: false, collapseRecursion: true, groupBy: "node" };
  const spentMs = { increments: 0, join: 0, "flame graph by node": 0, "table of nodes, functions and facets": 0 };
  /** @param {keyof typeof spentMs} what @param {() => unknown} work */
  function timed(what, work) {
    const start = process.cpuUsage();
    const startedMs = performance.now();
    work();
    const { user, system } = process.cpuUsage(start);
    spentMs[what] += (user + system) / 1000;
    return performance.now() - startedMs;
  }
  const views = /** @type {const} */ ([
    { what: "flame graph by node", pace: new RefreshPace(), build: () => joined.flame(byNode) },
    {
      what: "table of nodes, functions and facets",
      pace: new RefreshPace(),
      build: () => [joined.nodeShares(), joined.top(), joined.facets(), joined.timeline(240)],
    },
  ]);
  for (const [second, member] of perSecond.entries()) {
    timed("increments", () => {
      for (const capture of captures) capture.append(Buffer.from(member, "base64"));
    });
    timed("join", () => joined.catchUp());
    const nowMs = second * 1000;
    for (const { what, pace, build: buildView } of views)
      if (pace.waitMs(nowMs, views.length) === 0) pace.built(nowMs, timed(what, buildView));
  }
  const percent = Object.fromEntries(Object.entries(spentMs).map(([what, ms]) => [what, ms / seconds / 10]));
  return {
    nodes,
    seconds,
    recordsPerSecond: SAMPLES_PER_SECOND,
    percent,
    all: Object.values(percent).reduce((sum, each) => sum + each, 0),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [nodes, seconds] = process.argv.slice(2).map(Number);
  const { percent, all, ...measured } = await severalNodesCost(nodes, seconds);
  console.log(
    `${measured.nodes} nodes, ${measured.seconds} s, ${measured.recordsPerSecond} sample records a second and node`,
  );
  for (const [what, share] of Object.entries(percent)) console.log(`  ${what}: ${share.toFixed(2)} % of a core`);
  console.log(`  all: ${all.toFixed(2)} % of a core`);
}
