// A panel's page in Chromium, on loopback, under the policy it has in the editor, with a host that the test brings.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundled } from "../bundled.mjs";
import { andNightly, isNightly } from "../nightly.mjs";
import { keepBrowser, sharedTabs } from "./shared-browser.mjs";
import { THEMES } from "./themes.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {(message: any, toPage: (message: unknown) => Promise<void>) => unknown} TestHost */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TRANSLATIONS = JSON.parse(readFileSync(join(ROOT, "l10n/bundle.l10n.de.json"), "utf8"));
const SHOTS = join(ROOT, "dist/screenshots");

export { bundled };

/** The one in which all rules of axe are held. */
const [FIRST_THEME = "", ...OTHER_THEMES] = Object.keys(THEMES);

/** Themes for tests of a page's looks: by day one of them. */
export const THEME_NAMES = andNightly([FIRST_THEME], OTHER_THEMES);

/**
 * A test of what `npm test` has shown in another way, or of a size, a width or a screen of several.
 * @type {(name: string, run: (t: import("node:test").TestContext) => void | Promise<void>) => unknown}
 */
export const testByNight = isNightly ? test : () => undefined;

/** A clock for sessions. */
export const clock = {
  nowMs: () => performance.now(),
  later: (/** @type {number} */ ms, /** @type {() => void} */ call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** @typedef {{script: Uint8Array, style: Uint8Array}} BuiltPage */
/** @type {Map<string, Promise<BuiltPage>>} */
const built = new Map();

/** Several test files of a process have the same page. @param {string} name @returns {Promise<BuiltPage>} */
async function builtPage(name) {
  const { outputFiles } = await build({
    entryPoints: { [name]: join(ROOT, "webviews", name, "main.ts") },
    bundle: true,
    format: "esm",
    target: "es2022",
    outdir: ROOT,
    write: false,
    logLevel: "error",
  });
  const made = (/** @type {string} */ ending) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.contents ?? assert.fail(`${name} has no ${ending}`);
  return { script: made(".js"), style: made(".css") };
}

/** @type {Promise<{webviewPage: (...of: any[]) => string}> | undefined} */
let pageHtml;

/**
 * Serves a page, and opens it in the browser of this process.
 * @param {string} name folder of webviews/
 * @param {"en" | "de"} [language]
 */
export async function servePages(name, language = "en") {
  const release = keepBrowser();
  let page = built.get(name);
  if (!page) built.set(name, (page = builtPage(name)));
  pageHtml ??= bundled("extension/src/panels/page/page-html.ts");
  const [{ script: pageScript, style }, { webviewPage }, tabs] = await Promise.all([page, pageHtml, sharedTabs()]);
  const server = createServer((request, response) => {
    const send = (/** @type {string} */ type, /** @type {string | Uint8Array} */ body) =>
      response.writeHead(200, { "content-type": type }).end(body);
    if (request.url === "/page.js") send("text/javascript", pageScript);
    else if (request.url === "/page.css") send("text/css", style);
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
  /** @type {Set<Page>} */
  const open = new Set();
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
      open.add(tab.page);
      await tab.page.goto(`http://127.0.0.1:${address.port}/`);
      // Before that it does not listen.
      await tab.page.waitForFunction("window.sent.length > 0");
      return tab;
    },
    async stop() {
      // A test that failed has left its page open.
      for (const page of open) await page.close();
      server.closeAllConnections();
      server.close();
      await release();
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
          // Programs that know no browser have this file, too.
          const { postMessage, requestAnimationFrame: nextFrame } = /** @type {any} */ (globalThis);
          postMessage(it, "*");
          await new Promise((done) => nextFrame(() => nextFrame(() => setTimeout(done, 0))));
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
 * No violation of axe-core's rules. A look of axe costs as much as three loads of a page: by day each page has one, of the test that repeats
 * itself in each theme.
 * @param {Page} page
 * @param {object} [options]
 * @param {string} [options.theme] of such a test
 * @param {string} [options.within] selector of the part to look at
 * @param {boolean} [options.byDay]
 */
export async function assertAccessible(page, { theme = FIRST_THEME, within, byDay = false } = {}) {
  if (!byDay && !isNightly) return;
  // The page's policy forbids inline scripts, and axe needs none: it is evaluated by the debugger.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const options = { resultTypes: ["violations"], ...(theme !== FIRST_THEME && { runOnly: COLOUR_RULES }) };
  const violations = await page.evaluate(
    `axe.run(${within === undefined ? "document" : `document.querySelector(${JSON.stringify(within)})`}, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary).join(" | ")))`,
  );
  assert.deepEqual(violations, []);
}

/**
 * A picture for people, made by night and by a file that runs by itself with EXTROSPECT_NIGHTLY.
 * @param {Page} page @param {string} name @param {{fullPage?: boolean}} [options]
 */
export async function screenshot(page, name, options = {}) {
  if (!isNightly) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ ...options, path: join(SHOTS, `${name}.png`) });
}
