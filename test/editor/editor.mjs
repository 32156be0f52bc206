// A real VS Code workbench: code-server with the VSIX installed as a user would, and Chromium in front of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { run } from "../../scripts/command.mjs";
import { installedEditor } from "../../scripts/install-editor.mjs";
import { ROOT } from "../../scripts/project.mjs";

const CHROMIUM = process.env["CHROMIUM_EXECUTABLE"] ?? "/usr/bin/chromium";
const CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const SERVER_PATIENCE_MS = 60_000;
const WORKBENCH_PATIENCE_MS = 90_000;
export const SCREENSHOTS = join(ROOT, "dist/screenshots");

// Nothing that is not ours pops up, and nothing asks the network.
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "editor.accessibilitySupport": "off",
  "window.restoreWindows": "none",
  "workbench.colorTheme": "Default Dark Modern",
};
const NO_GALLERY = JSON.stringify({ serviceUrl: "", itemUrl: "", resourceUrlTemplate: "" });

/**
 * @typedef {object} EditorOptions
 * @property {string} folder                       what is opened
 * @property {string} [vsix]                       installed first
 * @property {Record<string, unknown>} [settings]
 * @property {boolean} [trust]                     false: the workspace is not trusted until the user says so
 * @property {string[]} [serverArgs]
 * @property {Record<string, string>} [env]
 * @property {{width: number, height: number}} [viewport]
 * @property {string} [query]                      of the workbench's address
 * @property {string[]} [as]                       command that starts the server, as another user for example
 * @property {(page: import("playwright-core").Page) => Promise<void>} [beforeLoad]
 */

/** @typedef {Awaited<ReturnType<typeof startEditor>>} Editor */

/** @param {EditorOptions} options */
export async function startEditor({ folder, vsix, settings = {}, trust = true, serverArgs = [], env = {}, query = "", viewport = { width: 1400, height: 900 }, as = [], beforeLoad }) {
  const { node, entry } = installedEditor();
  const home = mkdtempSync(join(tmpdir(), "extrospect-editor-"));
  const data = join(home, "data");
  mkdirSync(join(data, "User"), { recursive: true });
  mkdirSync(join(home, "extensions"));
  writeFileSync(join(data, "User/settings.json"), JSON.stringify({ ...SETTINGS, ...settings }, null, 2));
  writeFileSync(join(home, "config.yaml"), "auth: none\n");
  const base = [entry, "--config", join(home, "config.yaml"), "--user-data-dir", data, "--extensions-dir", join(home, "extensions")];
  const environment = serverEnvironment(home, env);
  if (vsix !== undefined) {
    const { code, stdout, stderr } = await run(node, [...base, "--install-extension", vsix, "--force"], { env: environment });
    if (code !== 0) throw new Error(`the VSIX cannot be installed: ${stdout}${stderr}`);
  }
  if (as.length > 0) await run("chmod", ["-R", "a+rwX", home]);
  const port = await freePort();
  const [command = node, ...before] = [...as, node];
  const args = [...before, ...base, "--auth", "none", "--bind-addr", `127.0.0.1:${String(port)}`, "--disable-telemetry", "--disable-update-check", "--disable-proxy", "--ignore-last-opened"];
  args.push(...(trust ? ["--disable-workspace-trust"] : []), "--disable-getting-started-override", ...serverArgs);
  const server = spawn(command, args, { env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let said = "";
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", (text) => { said = (said + text).slice(-20_000); });
  const stopServer = () => stopGroup(server);
  process.once("exit", () => killGroup(server, "SIGKILL"));
  const address = `http://127.0.0.1:${String(port)}`;
  /** @type {import("playwright-core").BrowserContext | undefined} */
  let browser;
  try {
    await untilServing(address, server, () => said);
    browser = await chromium.launchPersistentContext(join(home, "chromium"), { executablePath: CHROMIUM, headless: true, viewport, locale: "en-US", args: CHROMIUM_FLAGS });
    await browser.grantPermissions(["clipboard-read", "clipboard-write"], { origin: address });
    const page = browser.pages()[0] ?? (await browser.newPage());
    await beforeLoad?.(page);
    await page.goto(`${address}/?folder=${encodeURIComponent(folder)}${query}`);
    if (query === "") await page.locator(".monaco-workbench").waitFor({ timeout: WORKBENCH_PATIENCE_MS });
    const closing = browser;
    return {
      page,
      home,
      port,
      serverPid: server.pid ?? 0,
      /** Runs a command of the palette. @param {string} title */
      command: (title) => runCommand(page, title),
      /** @param {string} name */
      screenshot: (name) => screenshot(page, name),
      /** What the extension logged. */
      log: () => logOf(data),
      serverSaid: () => said,
      async stop() {
        await closing.close();
        await stopServer();
        rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  } catch (error) {
    await browser?.close();
    await stopServer();
    throw new Error(`the editor does not start; its server said: ${said.slice(-3000)}`, { cause: error });
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
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
  for (let attempt = 1; ; attempt++) {
    const input = await quickInput(page, "F1");
    await input.fill(`>${title}`);
    try {
      await row.click({ timeout: 3_000 });
      return;
    } catch (error) {
      // The list is made when it opens, perhaps before the command was known.
      if (attempt === 5) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

/** Opens the box that a key opens. @param {import("playwright-core").Page} page @param {string} key */
export async function quickInput(page, key) {
  const input = page.locator(".quick-input-widget input.input");
  // Keys that come while the focus moves out of a webview get lost.
  for (let attempt = 1; ; attempt++) {
    await page.keyboard.press(key);
    try {
      await input.waitFor({ timeout: 3_000 });
      return input;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
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

/** @param {string} home @param {Record<string, string>} more */
function serverEnvironment(home, more) {
  const own = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|XDG_|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/.test(name));
  return { ...Object.fromEntries(own), HOME: home, EXTENSIONS_GALLERY: NO_GALLERY, ...more };
}

/** @param {string} address @param {import("node:child_process").ChildProcess} server @param {() => string} said */
async function untilServing(address, server, said) {
  const deadline = Date.now() + SERVER_PATIENCE_MS;
  for (;;) {
    const answer = await fetch(`${address}/healthz`).catch(() => null);
    if (answer?.ok) return;
    if (server.exitCode !== null || Date.now() > deadline) throw new Error(`the server does not answer: ${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** @param {import("node:child_process").ChildProcess} server @param {NodeJS.Signals} signal */
function killGroup(server, signal) {
  try {
    process.kill(-(server.pid ?? 0), signal);
  } catch {
    // Gone already.
  }
}

/** @param {import("node:child_process").ChildProcess} server */
async function stopGroup(server) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  killGroup(server, "SIGTERM");
  const timer = setTimeout(() => killGroup(server, "SIGKILL"), 5_000);
  await gone;
  clearTimeout(timer);
}
