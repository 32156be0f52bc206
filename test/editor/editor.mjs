// A real VS Code workbench: code-server with the VSIX installed as a user would, and Chromium in front of it.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serveEditor } from "../../scripts/editor-server.mjs";
import { ROOT } from "../../scripts/project.mjs";

const CHROMIUM = process.env["CHROMIUM_EXECUTABLE"] ?? "/usr/bin/chromium";
const CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const WORKBENCH_PATIENCE_MS = 90_000;
export const SCREENSHOTS = join(ROOT, "dist/screenshots");
/** The DOM of a test is not that of a reader with a screen reader. */
const SETTINGS = { "editor.accessibilitySupport": "off", "window.restoreWindows": "none" };

/**
 * @typedef {object} EditorOptions
 * @property {string} folder                       what is opened
 * @property {string} [vsix]                       installed first
 * @property {Record<string, unknown>} [settings]
 * @property {boolean} [trust]                     false: the workspace is not trusted until the user says so
 * @property {string[]} [serverArgs]
 * @property {Record<string, string>} [env]
 * @property {string} [query]                      of the workbench's address
 * @property {string[]} [as]                       command that starts the server, as another user for example
 * @property {(page: import("playwright-core").Page, server: import("../../scripts/editor-server.mjs").EditorServer) => Promise<void>} [beforeLoad]
 */

/** @typedef {Awaited<ReturnType<typeof startEditor>>} Editor */

/** @param {EditorOptions} options */
export async function startEditor({ folder, vsix, settings = {}, trust = true, serverArgs = [], env = {}, query = "", as = [], beforeLoad }) {
  const home = mkdtempSync(join(tmpdir(), "extrospect-editor-"));
  const server = await serveEditor({ home, settings: { ...SETTINGS, ...settings }, trust, args: serverArgs, env, as, ...(vsix === undefined ? {} : { vsix }) });
  /** @type {import("playwright-core").BrowserContext | undefined} */
  let browser;
  try {
    browser = await chromium.launchPersistentContext(join(home, "chromium"), { executablePath: CHROMIUM, headless: true, viewport: { width: 1400, height: 900 }, locale: "en-US", args: CHROMIUM_FLAGS });
    await browser.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.address });
    const page = browser.pages()[0] ?? (await browser.newPage());
    await beforeLoad?.(page, server);
    await page.goto(`${server.address}/?folder=${encodeURIComponent(folder)}${query}`);
    if (query === "") await page.locator(".monaco-workbench").waitFor({ timeout: WORKBENCH_PATIENCE_MS });
    const closing = browser;
    return {
      page,
      home,
      port: server.port,
      serverPid: server.pid,
      /** Runs a command of the palette. @param {string} title */
      command: (title) => runCommand(page, title),
      /** @param {string} name */
      screenshot: (name) => screenshot(page, name),
      /** What the extension logged. */
      log: () => logOf(server.dataFolder),
      serverSaid: server.said,
      async stop() {
        await closing.close();
        await server.stop();
        rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  } catch (error) {
    await browser?.close();
    await server.stop();
    throw new Error(`the editor does not start; its server said: ${server.said().slice(-3000)}`, { cause: error });
  }
}

/** The document in the innermost frame of the webview in view. @param {import("playwright-core").Page} page */
export function webview(page) {
  return page.frameLocator("iframe.webview.ready >> visible=true").first().frameLocator("iframe#active-frame");
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} title
 */
async function runCommand(page, title) {
  const input = page.locator(".quick-input-widget input.input");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
  await page.keyboard.press("F1");
  await input.waitFor();
  await input.fill(`>${title}`);
  await row.waitFor();
  await row.click();
}

/** @param {import("playwright-core").Page} page @param {string} name */
export async function screenshot(page, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

/** @param {string} data */
function logOf(data) {
  const folder = join(data, "logs");
  if (!existsSync(folder)) return "";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /Extrospect[^/]*\.log$/.test(file));
  return files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
}
