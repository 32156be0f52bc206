// The flame graph's page in Chromium, on loopback, with a host that only notes what it is sent.
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { flameFromFolded, syntheticFlame } from "./flame-sources.mjs";
import { THEMES } from "./themes.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHROMIUM = process.env["CHROMIUM_EXECUTABLE"] ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export async function startFlamePages() {
  const folder = mkdtempSync(join(tmpdir(), "flame-page-"));
  await build({ entryPoints: [join(ROOT, "webviews/flame-graph/main.ts")], bundle: true, format: "esm", target: "es2022", outfile: join(folder, "main.js"), logLevel: "error" });
  await build({ entryPoints: [join(ROOT, "webviews/flame-graph/page.ts")], bundle: true, format: "esm", outfile: join(folder, "page.mjs"), logLevel: "error" });
  const { flameGraphPage } = await import(pathToFileURL(join(folder, "page.mjs")).href);
  const server = createServer((request, response) => {
    const send = (/** @type {string} */ type, /** @type {string | Buffer} */ body) => response.writeHead(200, { "content-type": type }).end(body);
    if (request.url === "/main.js") send("text/javascript", readFileSync(join(folder, "main.js")));
    else if (request.url === "/flame-graph.css") send("text/css", readFileSync(join(ROOT, "webviews/flame-graph/flame-graph.css")));
    else if (request.url === "/") send("text/html", flameGraphPage({ nonce: "n0nce", cspSource: "'self'", scriptUri: "/main.js", styleUri: "/flame-graph.css" }));
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
  return {
    /**
     * @param {{theme?: string, reducedMotion?: boolean, width?: number, height?: number, state?: object, variables?: Record<string, string>,
     *   onMessage?: (message: import("../../webviews/flame-graph/messages.js").ToHost, page: import("playwright-core").Page) => void}} [options]
     */
    async open({ theme = "dark", reducedMotion = true, width = 1280, height = 800, state, variables = {}, onMessage } = {}) {
      const page = await browser.newPage({ viewport: { width, height }, reducedMotion: reducedMotion ? "reduce" : "no-preference" });
      /** @type {string[]} */
      const problems = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().includes("favicon")) problems.push(message.text());
      });
      if (onMessage) await page.exposeBinding("toHost", ({ page: from }, message) => onMessage(message, from));
      await page.addInitScript(pageSide(theme, state, variables));
      await page.goto(`http://127.0.0.1:${address.port}/`);
      return { page, problems };
    },
    async stop() {
      await browser.close();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What runs in the page before its script: the editor's API, the theme, and makers of data.
 * @param {string} theme @param {object | undefined} state @param {Record<string, string>} more */
function pageSide(theme, state, more) {
  const { bodyClass, variables } = /** @type {{bodyClass: string, variables: Record<string, string>}} */ (THEMES[theme]);
  return `
    window.sent = [];
    window.savedState = ${JSON.stringify(state)};
    window.NO_OPTIONS = { inverted: false, hideNative: false, hideKernel: false, collapseRecursion: false };
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => {
        window.sent.push(message);
        window.toHost?.(message);
      },
      getState: () => window.savedState,
      setState: (state) => { window.savedState = state; },
    });
    window.flameFromFolded = ${flameFromFolded.toString()};
    window.syntheticFlame = ${syntheticFlame.toString()};
    window.tell = (message) => window.postMessage(message, "*");
    window.painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))));
    window.tellData = async (data, more = {}) => {
      window.tell({ type: "data", data, title: "demo@host", live: false, unit: "samples", allSamples: data.totalSamples, uri: "file:///demo.pb.gz", builtWith: { options: NO_OPTIONS, filter: {}, revision: 0 }, ...more });
      await window.painted();
    };
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      observer.disconnect();
      document.body.classList.add(${JSON.stringify(bodyClass)});
      for (const [name, value] of Object.entries(${JSON.stringify({ ...variables, ...more })})) document.documentElement.style.setProperty(name, value);
    }).observe(document, { childList: true, subtree: true });
  `;
}
