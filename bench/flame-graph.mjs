// node bench/flame-graph.mjs [--frames N]: how long flame graphs of that many frames take to appear and to zoom,
// ours beside d3-flame-graph and speedscope, each in headless Chromium. The others come from npm into a cache.
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cacheFolder } from "../scripts/cache-folder.mjs";
import { CHROMIUM } from "../test/chromium.mjs";
import { startFlamePages } from "../test/webviews/flame-page.mjs";
import { syntheticFlame } from "../test/webviews/flame-sources.mjs";
import { quantile } from "./stats.mjs";
import { optionsOrExit } from "../scripts/options.mjs";

const OTHERS = { "d3-flame-graph": "5.0.0", "d3-selection": "3.0.0", speedscope: "1.25.0" };
const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];
const GIVE_UP_MS = 90_000;
const TYPES = /** @type {Record<string, string>} */ ({
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
});

/**
 * @typedef {{name: string, frames: number, firstPaintMs: number, frameMs: number, frameP95Ms: number, note: string}} FlameTimes
 * NaN marks a time that could not be measured; `note` gives the reason.
 */

/** A frame's work: from the key or click to the end of the task after the frame that shows it. */
const MEASURE = `
  window.shown = () => new Promise((done) => requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0); }));
  window.times = async (act, rounds) => {
    const took = [];
    for (let round = 0; round < rounds; round++) {
      await new Promise(requestAnimationFrame);
      const from = performance.now();
      act(round);
      const acted = performance.now() - from;
      took.push(acted + await new Promise((done) => requestAnimationFrame(() => {
        const began = performance.now();
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now() - began);
        setTimeout(() => channel.port2.postMessage(0), 0);
      })));
    }
    return took;
  };
`;

/** @param {number} frames @param {(text: string) => void} progress @returns {Promise<FlameTimes[]>} */
export async function flameGraphTimes(frames, progress = () => {}) {
  progress("our flame graph");
  const rows = [await ours(frames)];
  const folder = await installOthers(progress);
  if (folder === null) {
    for (const name of ["d3-flame-graph", "speedscope"])
      rows.push(unmeasured(name, frames, "not there: npm could not install it"));
    return rows;
  }
  for (const [name, measure, sizes] of /** @type {const} */ ([
    ["d3-flame-graph", d3, [Math.min(frames, 20_000), frames]],
    ["speedscope", speedscope, [frames]],
  ])) {
    for (const size of new Set(sizes)) {
      progress(`${name}, ${size} frames`);
      rows.push(
        await measure(folder, size).catch((error) =>
          unmeasured(name, size, String(error.message).split("\n")[0] ?? ""),
        ),
      );
    }
  }
  return rows;
}

/** @param {string} name @param {number} frames @param {string} note @returns {FlameTimes} */
const unmeasured = (name, frames, note) => ({ name, frames, firstPaintMs: NaN, frameMs: NaN, frameP95Ms: NaN, note });

/** @param {string} name @param {number} frames @param {number} firstPaintMs @param {number[]} took @param {string} [note] @returns {FlameTimes} */
const measured = (name, frames, firstPaintMs, took, note = "") => ({
  name,
  frames,
  firstPaintMs,
  frameMs: quantile(took, 0.5),
  frameP95Ms: quantile(took, 0.95),
  note,
});

/** @param {number} frames */
async function ours(frames) {
  const pages = await startFlamePages();
  try {
    const { page } = await pages.open();
    await page.evaluate(MEASURE);
    const firstPaintMs = await page.evaluate(
      `(async () => { const data = syntheticFlame(${frames}); const from = performance.now(); await tellData(data); return performance.now() - from; })()`,
    );
    const took = await page.evaluate(
      `times((round) => document.querySelector(".pane:not([hidden]) canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "++++dddd--++aaaa----"[round % 20], bubbles: true })), 100)`,
    );
    return measured("extrospect", frames, Number(firstPaintMs), /** @type {number[]} */ (took));
  } finally {
    await pages.stop();
  }
}

/** As its documentation draws one, but zoom without its animation. @param {string} folder @param {number} frames */
async function d3(folder, frames) {
  const { build } = await import("esbuild");
  const bundled = await build({
    stdin: {
      contents: 'export { default as flamegraph } from "d3-flame-graph"; export { select } from "d3-selection";',
      resolveDir: folder,
    },
    bundle: true,
    format: "iife",
    globalName: "d3",
    write: false,
    loader: { ".css": "empty" },
    logLevel: "error",
  });
  const html = `<!doctype html><div id=chart></div><script>${bundled.outputFiles[0]?.text.replaceAll("</script", "<\\/script")}</script>`;
  return inChromium(
    (path) => (path === "/" ? { type: "text/html", body: html } : null),
    async (page, address) => {
      await page.goto(`${address}/`);
      await page.evaluate(`${MEASURE}; window.syntheticFlame = ${syntheticFlame.toString()}`);
      const firstPaintMs = await limited(
        page.evaluate(`(async () => {
      const data = syntheticFlame(${frames});
      const nodes = Array.from(data.nodeFunction, (index, at) => ({ name: data.functionNames[index], value: data.nodeTotal[at], children: [] }));
      for (let at = 1; at < nodes.length; at++) nodes[data.nodeParent[at]].children.push(nodes[at]);
      const from = performance.now();
      d3.select("#chart").datum(nodes[0]).call(d3.flamegraph().width(1260).transitionDuration(0));
      await shown();
      return performance.now() - from;
    })()`),
      );
      const took = await limited(
        page.evaluate(`(() => {
      const boxes = [...document.querySelectorAll("#chart g.frame")];
      return times((round) => boxes[round % 2 === 0 ? Math.min(20, boxes.length - 1) : 0].dispatchEvent(new MouseEvent("click", { bubbles: true })), 10);
    })()`),
      );
      return measured(
        "d3-flame-graph",
        frames,
        Number(firstPaintMs),
        /** @type {number[]} */ (took),
        "zoom by click, no animation",
      );
    },
  );
}

/** Its own page and loader; the time to the first paint has the start of the page and the reading of the file in it. @param {string} folder @param {number} frames */
async function speedscope(folder, frames) {
  const root = join(folder, "node_modules/speedscope/dist/release");
  const profile = evented(syntheticFlame(frames));
  const serve = (/** @type {string} */ path) => {
    if (path === "/bench-profile.json") return { type: "application/json", body: profile };
    const file = join(root, normalize(path === "/" ? "/index.html" : path));
    return file.startsWith(root) && existsSync(file)
      ? { type: TYPES[extname(file)] ?? "application/octet-stream", body: readFileSync(file) }
      : null;
  };
  return inChromium(serve, async (page, address) => {
    await page.goto(`${address}/`);
    await page.goto("about:blank");
    const from = performance.now();
    await page.goto(`${address}/#profileURL=${encodeURIComponent(`${address}/bench-profile.json`)}`);
    await page.waitForFunction("document.title.includes('bench-profile')", undefined, {
      timeout: GIVE_UP_MS,
      polling: "raf",
    });
    await page.evaluate(`${MEASURE}; shown()`);
    const firstPaintMs = performance.now() - from;
    const canvas = await page.locator("canvas").last().boundingBox();
    if (!canvas) throw new Error("no canvas");
    const place = { x: canvas.x + canvas.width / 2, y: canvas.y + canvas.height / 2 };
    await page.mouse.move(place.x, place.y);
    const took = await limited(
      page.evaluate(`(() => {
      const target = document.elementFromPoint(${place.x}, ${place.y});
      return times((round) => target.dispatchEvent(new WheelEvent("wheel", { deltaY: round % 20 < 10 ? -40 : 40, ctrlKey: true, bubbles: true, cancelable: true, clientX: ${place.x}, clientY: ${place.y} })), 60);
    })()`),
    );
    return measured(
      "speedscope",
      frames,
      firstPaintMs,
      /** @type {number[]} */ (took),
      "first paint with page start and file; the graphics process is not counted",
    );
  });
}

/** speedscope's evented form: about the same size for any depth. @param {ReturnType<typeof syntheticFlame>} data */
function evented(data) {
  const events = [];
  /** @type {number[]} */
  const open = [];
  const end = (/** @type {number} */ node) => (data.nodeStart[node] ?? 0) + (data.nodeTotal[node] ?? 0);
  const close = () => {
    const node = /** @type {number} */ (open.pop());
    events.push({ type: "C", frame: data.nodeFunction[node], at: end(node) });
  };
  for (let node = 0; node < data.nodeFunction.length; node++) {
    while (open.length > (data.nodeDepth[node] ?? 0)) close();
    events.push({ type: "O", frame: data.nodeFunction[node], at: data.nodeStart[node] });
    open.push(node);
  }
  while (open.length > 0) close();
  return JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    name: "bench-profile",
    shared: { frames: data.functionNames.map((name) => ({ name })) },
    profiles: [
      { type: "evented", name: "bench-profile", unit: "none", startValue: 0, endValue: data.totalSamples, events },
    ],
  });
}

/**
 * @template T
 * @param {(path: string) => {type: string, body: string | Buffer} | null} serve
 * @param {(page: import("playwright-core").Page, address: string) => Promise<T>} measure
 */
async function inChromium(serve, measure) {
  const { chromium } = await import("playwright-core");
  const server = createServer((request, response) => {
    const found = serve(new URL(request.url ?? "/", "http://localhost").pathname);
    if (found) response.writeHead(200, { "content-type": found.type }).end(found.body);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    return await measure(page, `http://127.0.0.1:${port}`);
  } finally {
    // A page that is still busy does not close by itself in time.
    await Promise.race([browser.close(), new Promise((done) => setTimeout(done, 5000).unref())]);
    server.closeAllConnections();
    server.close();
  }
}

/** @template T @param {Promise<T>} work */
function limited(work) {
  work.catch(() => {});
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise(
    (_, reject) => (timer = setTimeout(() => reject(new Error(`not done after ${GIVE_UP_MS / 1000} s`)), GIVE_UP_MS)),
  );
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** @param {(text: string) => void} progress @returns {Promise<string | null>} */
async function installOthers(progress) {
  const folder = join(cacheFolder(), "flame-bench");
  const there = Object.entries(OTHERS).every(([name, version]) => {
    const manifest = join(folder, "node_modules", name, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  });
  if (there) return folder;
  progress("installing d3-flame-graph and speedscope into the cache");
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(OTHERS).map(([name, version]) => `${name}@${version}`);
  try {
    await promisify(execFile)(
      "npm",
      ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", ...wanted],
      { timeout: 120_000 },
    );
    return folder;
  } catch (error) {
    progress(`npm: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
    return null;
  }
}

/** @param {readonly FlameTimes[]} rows */
export function printFlameTimes(rows) {
  console.log("\nFlame graphs in headless Chromium, milliseconds");
  console.log(
    `  ${"".padEnd(16)} ${"frames".padStart(8)} ${"first paint".padStart(12)} ${"zoom/pan median".padStart(16)} ${"p95".padStart(8)}`,
  );
  const shown = (/** @type {number} */ ms) => (Number.isNaN(ms) ? "-" : ms.toFixed(1));
  for (const { name, frames, firstPaintMs, frameMs, frameP95Ms, note } of rows) {
    console.log(
      `  ${name.padEnd(16)} ${String(frames).padStart(8)} ${shown(firstPaintMs).padStart(12)} ${shown(frameMs).padStart(16)} ${shown(frameP95Ms).padStart(8)}  ${note}`,
    );
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = optionsOrExit("node bench/flame-graph.mjs", {
    options: { frames: { type: "string", default: "500000" } },
  });
  printFlameTimes(await flameGraphTimes(Number(values.frames), (text) => process.stderr.write(`  ${text}\n`)));
  process.exit(0);
}
