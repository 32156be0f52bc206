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
import { tabsOf } from "./tabs.mjs";
import { THEMES } from "./themes.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {(message: any, tell: (message: unknown) => Promise<void>) => unknown} TestHost */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TRANSLATIONS = JSON.parse(readFileSync(join(ROOT, "l10n/bundle.l10n.de.json"), "utf8"));
const SHOTS = join(ROOT, "dist/screenshots");

export { bundled };

export const THEME_NAMES = Object.keys(THEMES);

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
  await build({
    entryPoints: { [name]: join(ROOT, "webviews", name, "main.ts") },
    bundle: true,
    format: "esm",
    target: "es2022",
    outdir: folder,
    logLevel: "error",
  });
  const { webviewPage } = await bundled("extension/src/panels/page/page-html.ts");
  const server = createServer((request, response) => {
    const send = (/** @type {string} */ type, /** @type {string | Buffer} */ body) =>
      response.writeHead(200, { "content-type": type }).end(body);
    if (request.url === "/page.js") send("text/javascript", readFileSync(join(folder, `${name}.js`)));
    else if (request.url === "/page.css") send("text/css", readFileSync(join(folder, `${name}.css`)));
    else if (request.url === "/")
      send(
        "text/html",
        webviewPage(name, {
          nonce: "n0nce",
          cspSource: "'self'",
          scriptUri: "/page.js",
          styleUri: "/page.css",
          language,
        }),
      );
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const browser = await startChromium();
  const tabs = tabsOf(browser);
  return {
    /**
     * @param {object} options
     * @param {string} [options.theme]
     * @param {Record<string, string>} [options.variables] in addition to the theme's
     * @param {number} [options.width]
     * @param {number} [options.height]
     * @param {boolean} [options.reducedMotion]
     * @param {unknown} [options.state] the state that the editor kept of the page
     * @param {string} [options.script] runs before the page's own
     * @param {import("./tabs.mjs").Receiver} [options.onMessage]
     * @param {boolean} [options.once] for tests that change the tab itself
     */
    async open({
      theme = "dark",
      variables = {},
      width = 1100,
      height = 760,
      reducedMotion = true,
      state,
      script = "",
      onMessage,
      once = false,
    }) {
      const translations = language === "en" ? {} : TRANSLATIONS;
      const tab = await tabs.take({
        viewport: { width, height },
        reducedMotion,
        script: `${editorSide(theme, variables, state, translations)}\n${script}`,
        onMessage,
        once,
      });
      await tab.page.goto(`http://127.0.0.1:${address.port}/`);
      // Before that it does not listen.
      await tab.page.waitForFunction("window.sent.length > 0");
      return tab;
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
    /** @param {{theme?: string, width?: number, height?: number, host?: TestHost, state?: unknown, once?: boolean}} [options] */
    async open({ host = () => undefined, ...options } = {}) {
      /** @type {any[]} */
      const sent = [];
      let isOpen = () => true;
      /** @type {Page | undefined} */
      let opened;
      const tell = async (/** @type {unknown} */ message) => {
        if (!opened || !isOpen()) return;
        const told = opened.evaluate(async (it) => {
          window.postMessage(it, "*");
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))));
        }, message);
        // As in the editor: messages on their way to a page that closes are lost.
        await told.catch((/** @type {unknown} */ error) => {
          if (isOpen()) throw error;
        });
      };
      const onMessage = (/** @type {any} */ message, /** @type {Page} */ page) => {
        opened = page;
        sent.push(message);
        host(message, tell);
      };
      const view = await pages.open({ ...options, onMessage });
      ({ page: opened, isOpen } = view);
      return {
        ...view,
        sent,
        tell,
        of: (/** @type {string} */ type) => sent.filter((message) => message.type === type),
      };
    },
    stop: pages.stop,
  };
}

/** The editor's API and theme, before the page's script runs. @param {string} theme @param {Record<string, string>} more @param {unknown} state @param {Record<string, string>} translations */
function editorSide(theme, more, state, translations) {
  const { bodyClass, variables } = /** @type {{bodyClass: string, variables: Record<string, string>}} */ (
    THEMES[theme]
  );
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

/** Rules of axe-core whose answer depends on colours. Themes change nothing else: all rules are held in one of them, these in each. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * No violation of axe-core's rules.
 * @param {Page} page
 * @param {object} [options]
 * @param {string} [options.theme] of a test that repeats itself in each theme
 * @param {string} [options.within] selector of the part to look at
 */
export async function assertAccessible(page, { theme = THEME_NAMES[0], within } = {}) {
  // The page's policy forbids inline scripts, and axe needs none: it is evaluated by the debugger.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const options = { resultTypes: ["violations"], ...(theme !== THEME_NAMES[0] && { runOnly: COLOUR_RULES }) };
  const violations = await page.evaluate(
    `axe.run(${within === undefined ? "document" : `document.querySelector(${JSON.stringify(within)})`}, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary).join(" | ")))`,
  );
  assert.deepEqual(violations, []);
}

/** @param {Page} page @param {string} name */
export async function screenshot(page, name) {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}
