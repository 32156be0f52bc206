// A panel's page in Chromium, on loopback, under the policy it has in the editor, with a host that the test brings.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startChromium } from "../chromium.mjs";
import { bundled } from "../bundled.mjs";
import { PATIENCE_MS } from "../until.mjs";
import { THEMES } from "./themes.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {(message: any, tell: (message: unknown) => Promise<void>) => unknown} TestHost */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TRANSLATIONS = JSON.parse(readFileSync(join(ROOT, "l10n/bundle.l10n.de.json"), "utf8"));
const SHOTS = join(ROOT, "dist/screenshots");

export { bundled };

/** A clock for sessions. */
export const clock = {
  nowMs: () => performance.now(),
  later: (/** @type {number} */ ms, /** @type {() => void} */ call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Serves a page, and opens it in a browser.
 * @param {string} name folder of webviews/
 * @param {"en" | "de"} [language]
 */
export async function servePages(name, language = "en") {
  const folder = mkdtempSync(join(tmpdir(), "panel-page-"));
  await build({ entryPoints: { [name]: join(ROOT, "webviews", name, "main.ts") }, bundle: true, format: "esm", target: "es2022", outdir: folder, logLevel: "error" });
  const { webviewPage } = await bundled("extension/src/panels/page/page-html.ts");
  const server = createServer((request, response) => {
    const send = (/** @type {string} */ type, /** @type {string | Buffer} */ body) => response.writeHead(200, { "content-type": type }).end(body);
    if (request.url === "/page.js") send("text/javascript", readFileSync(join(folder, `${name}.js`)));
    else if (request.url === "/page.css") send("text/css", readFileSync(join(folder, `${name}.css`)));
    else if (request.url === "/") send("text/html", webviewPage(name, { nonce: "n0nce", cspSource: "'self'", scriptUri: "/page.js", styleUri: "/page.css", language }));
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const browser = await startChromium();
  return {
    /**
     * @param {object} options
     * @param {string} [options.theme]
     * @param {Record<string, string>} [options.variables] in addition to the theme's
     * @param {number} [options.width]
     * @param {number} [options.height]
     * @param {boolean} [options.reducedMotion]
     * @param {unknown} [options.state] what the editor kept of the page
     * @param {string} [options.script] runs before the page's own
     * @param {(page: Page) => Promise<unknown>} [options.prepare]
     */
    async open({ theme = "dark", variables = {}, width = 1100, height = 760, reducedMotion = true, state, script = "", prepare }) {
      const page = await browser.newPage({ viewport: { width, height }, reducedMotion: reducedMotion ? "reduce" : "no-preference" });
      /** @type {string[]} */
      const problems = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().includes("favicon")) problems.push(message.text());
      });
      page.setDefaultTimeout(PATIENCE_MS);
      await prepare?.(page);
      await page.addInitScript(`${editorSide(theme, variables, state, language === "en" ? {} : TRANSLATIONS)}\n${script}`);
      await page.goto(`http://127.0.0.1:${address.port}/`);
      // Before that it does not listen.
      await page.waitForFunction("window.sent.length > 0");
      return { page, problems };
    },
    async stop() {
      await browser.close();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} name folder of webviews/ @param {"en" | "de"} [language] */
export async function startPanelPages(name, language) {
  const pages = await servePages(name, language);
  return {
    /** @param {{theme?: string, width?: number, height?: number, host?: TestHost, state?: unknown}} [options] */
    async open({ host = () => undefined, ...options } = {}) {
      /** @type {any[]} */
      const sent = [];
      /** @type {(message: unknown) => Promise<void>} */
      let tell = async () => {};
      const prepare = (/** @type {Page} */ page) => {
        tell = async (message) => {
          const told = page.evaluate(async (it) => {
            window.postMessage(it, "*");
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))));
          }, message);
          // As in the editor: what is on its way to a page that closes is lost.
          await told.catch((/** @type {unknown} */ error) => {
            if (!page.isClosed()) throw error;
          });
        };
        return page.exposeFunction("toHost", (/** @type {any} */ message) => {
          sent.push(message);
          host(message, tell);
        });
      };
      const { page, problems } = await pages.open({ ...options, prepare });
      return { page, problems, sent, tell, of: (/** @type {string} */ type) => sent.filter((message) => message.type === type) };
    },
    stop: pages.stop,
  };
}

/** The editor's API and theme, before the page's script runs. @param {string} theme @param {Record<string, string>} more @param {unknown} state @param {Record<string, string>} translations */
function editorSide(theme, more, state, translations) {
  const { bodyClass, variables } = /** @type {{bodyClass: string, variables: Record<string, string>}} */ (THEMES[theme]);
  return `
    window.sent = [];
    window.savedState = ${JSON.stringify(state ?? null)} ?? undefined;
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => {
        if (message.type === "translations") return window.postMessage({ type: "translations", texts: ${JSON.stringify(translations)} }, "*");
        window.sent.push(structuredClone(message));
        window.toHost?.(structuredClone(message));
      },
      getState: () => window.savedState,
      setState: (state) => { window.savedState = structuredClone(state); },
    });
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      observer.disconnect();
      document.body.classList.add(${JSON.stringify(bodyClass)});
      for (const [name, value] of Object.entries(${JSON.stringify({ ...variables, ...more })})) document.documentElement.style.setProperty(name, value);
    }).observe(document, { childList: true, subtree: true });
  `;
}

/** No violation of axe-core's rules. @param {Page} page */
export async function assertAccessible(page) {
  // The page's policy forbids inline scripts, and axe needs none: it is evaluated by the debugger.
  await page.evaluate(AXE);
  const violations = await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary).join(" | ")))`,
  );
  assert.deepEqual(violations, []);
}

/** @param {Page} page @param {string} name */
export async function screenshot(page, name) {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

export const THEME_NAMES = Object.keys(THEMES);
