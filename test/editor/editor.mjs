// A VS Code workbench as a user has it, in a browser without a window: the extension installed from the VSIX.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";
import { serveEditor } from "../../scripts/editor-server.mjs";
import { installedEditor } from "../../scripts/install-editor.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { CHROMIUM, CHROMIUM_FLAGS } from "../chromium.mjs";
import { PATIENCE_MS, until } from "../until.mjs";
import { answered, answerLooks } from "./answered-looks.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { withExtension } from "./installed-extension.mjs";
import { withLanguage } from "./language-pack.mjs";
import { letRowsTakeClicks, rowTookClick } from "./row-clicks.mjs";
import { tried, worked } from "./tries.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Request} Request */

const SHOTS = join(ROOT, "dist/screenshots");
const TEST_SETTINGS = {
  // Tests of other views find theirs alone; summary.night.test.mjs has it as users do.
  "extrospect.openSummary": false,
  "git.enabled": false,
  // Endless animations are drawn without end; test/webviews has the project's pages with motion.
  "editor.cursorBlinking": "solid",
  "workbench.reduceMotion": "on",
  "editor.minimap.enabled": false,
  "editor.accessibilitySupport": "off",
  "window.restoreWindows": "none",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.wordBasedSuggestions": "off",
  // Work that begins on a busy machine takes the focus at any time; a picker that closes then is no promise of the
  // extension.
  "workbench.quickOpen.closeOnFocusLost": false,
  // Over a row that the pointer waits on, a tooltip takes the clicks of the row, for ever.
  "workbench.hover.delay": 86_400_000,
  // Tests find the captures here.
  "extrospect.capture.folder": "captures",
};
/** In each document. Each scrollbar that fades is drawn fifty times, and bars of progress without end. */
const STILL = `
  if (window === top) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(\`*, ::before, ::after { transition: none !important; animation-delay: 0s !important;
      animation-duration: 1ms !important; animation-iteration-count: 1 !important; }\`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
`;
/** A machine with much other work starts the extension when its views are shown first. */
const VIEWS_PATIENCE_MS = 20_000;
/** A lost key leaves the picker open. */
const LINE_PATIENCE_MS = 10_000;

/**
 * @typedef {object} EditorOptions
 * @property {string} folder                  opened as workspace
 * @property {string} [vsix]                installed first; without it none is
 * @property {Record<string, unknown>} [settings]
 * @property {Record<string, unknown>} [machineSettings]   those that only the machine's own settings may have
 * @property {{key: string, command: string, args?: unknown}[]} [keybindings]  of the user
 * @property {boolean} [trust]               false: the workspace is not trusted, and no prompt appears at the start
 * @property {string} [language]             of the extension, its pages and the browser, `de`; English without it
 * @property {string[]} [builtIn]            of the extensions that the editor comes with those that it has; all without it
 * @property {string[]} [serverArgs]
 * @property {Record<string, string>} [env]  of the server and the extension
 * @property {{width: number, height: number}} [viewport]
 * @property {number} [scale]                of the screen: how many of its points one point of the page has
 * @property {boolean} [isStill]             the workbench, not its webviews, fades and moves nothing
 * @property {string[]} [as]                 command that starts the server, as another user for example
 * @property {[string, string][]} [payload]  passed to the workbench in its address; {AUTHORITY} becomes the server's
 * @property {(page: Page, server: import("../../scripts/editor-server.mjs").EditorServer) => Promise<void>} [beforeLoad]
 */

/** @param {boolean} trust whether workspaces are trusted */
const trustSettings = (trust) =>
  trust
    ? { "security.workspace.trust.enabled": false }
    : { "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never" };

/**
 * Opens a folder in the editor.
 * @param {EditorOptions} options
 */
export async function startEditor({ folder, payload = [], beforeLoad, ...options }) {
  const { trust = true, settings = {} } = options;
  const editor = await launchEditor({ ...options, settings: { ...trustSettings(trust), ...settings } });
  const told = JSON.stringify(payload).replaceAll("{AUTHORITY}", `127.0.0.1:${editor.server.port}`);
  try {
    await beforeLoad?.(editor.page, editor.server);
    await editor.load(folder, payload.length > 0 ? { payload: told } : {});
  } catch (error) {
    await editor.stop();
    throw error;
  }
  return editor;
}

/**
 * A server and a browser that show nothing yet.
 * @param {Omit<EditorOptions, "folder" | "payload" | "beforeLoad">} options
 */
async function launchEditor({
  vsix,
  settings = {},
  machineSettings = {},
  keybindings = [],
  trust = true,
  language,
  builtIn,
  serverArgs = [],
  env = {},
  viewport = { width: 1400, height: 900 },
  scale = 1,
  isStill = false,
  as = [],
}) {
  const home = mkdtempSync(join(tmpdir(), "extrospect-editor-"));
  if (vsix !== undefined) assert.ok(existsSync(vsix), `${vsix} is missing: run \`npm run package\``);
  const languageArgs = language === undefined ? [] : withLanguage(join(home, "data"), language);
  const server = await serveEditor({
    home,
    settings: { ...TEST_SETTINGS, ...settings },
    machineSettings,
    keybindings,
    trust,
    args: [...languageArgs, ...(builtIn ? onlyBuiltIn(join(home, "built-in"), builtIn) : []), ...serverArgs],
    env,
    as,
    ...(vsix !== undefined && { extensions: await withExtension(vsix) }),
  });
  const browser = await chromium.launchPersistentContext(join(home, "browser"), {
    executablePath: CHROMIUM,
    headless: true,
    timeout: 0,
    viewport,
    deviceScaleFactor: scale,
    locale: language ?? "en-US",
    args: CHROMIUM_FLAGS,
  });
  const page = browser.pages()[0] ?? (await browser.newPage());
  page.setDefaultTimeout(PATIENCE_MS);
  answerLooks(page);
  if (isStill) await page.addInitScript(STILL);
  /** @type {string[]} */
  const outside = [];
  const note = (/** @type {string} */ address) => {
    const url = new URL(address);
    // A name for files of webviews that the workbench itself answers for; it leads nowhere.
    const isWebviewFile = url.hostname.endsWith(".vscode-resource.vscode-cdn.net");
    if (/^(https?|wss?):$/.test(url.protocol) && url.hostname !== "127.0.0.1" && !isWebviewFile)
      outside.push(url.hostname);
  };
  page.on("requestfailed", (request) => note(request.url()));
  page.on("response", (response) => {
    // Files of webviews have made-up hosts: the workbench's own worker answers for them.
    if (!response.fromServiceWorker()) note(response.url());
  });
  const stop = async () => {
    await browser.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  return new Editor(page, server, outside, stop);
}

/** Arguments of the server, which then has only these of its extensions. @param {string} folder @param {string[]} names */
function onlyBuiltIn(folder, names) {
  mkdirSync(folder);
  for (const name of names) symlinkSync(join(installedEditor().extensions, name), join(folder, name));
  return ["--builtin-extensions-dir", folder];
}

/**
 * The extension looks for git's, and finds it switched off. The other extensions of the editor would start at each load,
 * for languages that no scene has. Editors of the night have all of them.
 */
const BUILT_IN = ["git", "git-base", "theme-defaults", "theme-seti"];

/**
 * One editor for scenes that follow each other: each start costs what six steps cost. Only tests that need another
 * package, user or environment have an editor of their own.
 * @param {string} vsix
 */
export async function startSharedEditor(vsix) {
  // The server leaves it to the settings whether a workspace is trusted.
  const editor = await launchEditor({
    vsix,
    trust: false,
    builtIn: BUILT_IN,
    viewport: { width: 1400, height: 1200 },
    // Without a graphics processor each point of each frame is computed: a quarter of them.
    scale: 0.5,
    isStill: true,
  });
  // Only the end of the run ends a wait.
  editor.page.setDefaultTimeout(PATIENCE_MS);
  return editor;
}

/** Of all pages, so that none has one that a later attempt has, too. */
let lastAttempt = 0;

const OVER_THE_WINDOW = [
  ".quick-input-widget:visible",
  ".notifications-toasts.visible",
  ".monaco-dialog-box:visible",
  ".monaco-menu:visible",
];

export class Editor {
  /**
   * @param {Page} page
   * @param {import("../../scripts/editor-server.mjs").EditorServer} server
   * @param {string[]} outside   hosts beyond loopback that the page sent requests to
   * @param {() => Promise<void>} stop
   */
  constructor(page, server, outside, stop) {
    this.page = page;
    this.server = server;
    this.outside = outside;
    this.stop = stop;
    this.#firstSettings = JSON.parse(readFileSync(join(server.dataFolder, "User/settings.json"), "utf8"));
  }

  /** @type {Record<string, unknown>} */
  #firstSettings;

  /**
   * Loads the workbench with this folder.
   * @param {string} folder
   * @param {Record<string, string>} [more] of the address
   */
  async load(folder, more = {}) {
    /** Of a page that stays empty. @type {string[]} */
    const troubles = [];
    /** @param {Request} request */
    const failed = (request) => troubles.push(`${request.failure()?.errorText}: ${request.url()}`);
    /** @param {Error} error */
    const thrown = (error) => troubles.push(String(error));
    this.page.on("requestfailed", failed).on("pageerror", thrown);
    try {
      await this.page.goto(`${this.server.address}/?${new URLSearchParams({ folder, ...more })}`);
      await this.page.locator(".monaco-workbench").waitFor();
    } catch (error) {
      const seen = [...troubles, this.server.printed()].join("\n");
      throw new Error(`the workbench is not there: ${String(error)}\n${seen}`, { cause: error });
    } finally {
      this.page.off("requestfailed", failed).off("pageerror", thrown);
    }
  }

  /**
   * Opens another folder with these settings, and nothing that the folder before has left.
   * @param {Pick<EditorOptions, "folder" | "settings" | "machineSettings" | "keybindings" | "trust">} options
   */
  async openAnew({ folder, settings = {}, machineSettings = {}, keybindings = [], trust = true }) {
    const { page, server } = this;
    // Without a page the extension host and the helper of the scene before end.
    await page.goto("about:blank");
    const session = await page.context().newCDPSession(page);
    const storageTypes = "indexeddb,local_storage,cookies";
    await session.send("Storage.clearDataForOrigin", { origin: server.address, storageTypes });
    await session.detach();
    await until("the end of the helpers of the scene before", () => helpersBelow(server.pid).length === 0);
    const user = join(server.dataFolder, "User");
    for (const name of ["globalStorage", "History", "workspaceStorage"])
      rmSync(join(user, name), { recursive: true, force: true });
    const all = { ...this.#firstSettings, ...trustSettings(trust), ...settings };
    writeFileSync(join(user, "settings.json"), JSON.stringify(all, null, 2));
    writeFileSync(join(user, "keybindings.json"), JSON.stringify(keybindings, null, 2));
    writeFileSync(join(server.dataFolder, "Machine/settings.json"), JSON.stringify(machineSettings, null, 2));
    this.#logLengths = new Map([...this.#allLogs()].map(([name, text]) => [name, text.length]));
    await this.load(folder);
  }

  /** Settings whose values the editor has written anew, in another form: at each start it opens the file for that. */
  rewrittenSettings() {
    const now = JSON.parse(readFileSync(join(this.server.dataFolder, "User/settings.json"), "utf8"));
    return Object.entries(this.#firstSettings)
      .filter(([name, value]) => !name.startsWith("extrospect.") && !isDeepStrictEqual(now[name], value))
      .map(([name]) => name);
  }

  /** The output channel of the extension, and whatever else it wrote. */
  log() {
    return this.#logs(/Extrospect[^/]*\.log$/);
  }

  /** Failures in the extension host. */
  hostLog() {
    return this.#logs(/(remoteexthost|exthost)\.log$/);
  }

  /** @param {RegExp} names */
  #logs(names) {
    const files = [...this.#allLogs()].filter(([name]) => names.test(name));
    return files.map(([name, text]) => `== ${name}\n${text.slice(this.#logLengths.get(name) ?? 0)}`).join("\n");
  }

  /** By name. @returns {Map<string, string>} */
  #allLogs() {
    const folder = join(this.server.dataFolder, "logs");
    if (!existsSync(folder)) return new Map();
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".log"));
    return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  }

  /** What scenes before have written. @type {Map<string, number>} */
  #logLengths = new Map();

  /**
   * Saves a picture of the screen.
   * @param {string} name
   */
  async screenshot(name) {
    mkdirSync(SHOTS, { recursive: true });
    const file = join(SHOTS, `${name}.png`);
    // Parts that fade in are there.
    await this.page.screenshot({ path: file, animations: "disabled" });
    return file;
  }

  /** Screenshot and logs that show why a test failed. @param {string} name */
  async keepEvidence(name) {
    const stem = `failed-${name.replace(/\W+/g, "-").slice(0, 60)}`;
    const shot = await this.#legible(() => this.screenshot(stem)).catch((error) => String(error));
    const log = join(SHOTS, `${stem}.log`);
    writeFileSync(log, `${this.log()}\n${this.hostLog()}\n== server\n${this.server.printed()}`);
    console.log(`screenshot: ${shot}\nlog: ${log}`);
  }

  /** On a screen that shows each letter. @template T @param {() => Promise<T>} act */
  async #legible(act) {
    const session = await this.page.context().newCDPSession(this.page);
    const size = this.page.viewportSize() ?? { width: 0, height: 0 };
    const scale = await this.page.evaluate(() => devicePixelRatio);
    const show = (/** @type {number} */ deviceScaleFactor) =>
      session.send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor, mobile: false });
    if (scale < 1) await show(1);
    try {
      return await act();
    } finally {
      if (scale < 1) await show(scale);
      await session.detach();
    }
  }

  /** The texts that a screenshot shows of the parts over the window: picker, notifications, dialog. */
  async inSight() {
    const texts = await Promise.all(
      OVER_THE_WINDOW.map((selector) =>
        this.page
          .locator(selector)
          .allInnerTexts()
          .catch(() => []),
      ),
    );
    return OVER_THE_WINDOW.map(
      (selector, index) => `${selector}: ${texts[index]?.[0]?.replace(/\s+/g, " ").slice(0, 600) ?? ""}`,
    ).join("\n");
  }

  /**
   * Runs a command from the palette.
   * @param {string} title   as the palette shows it
   */
  async command(title) {
    await this.#pick(`>${title}`, title);
  }

  /** Opens a file of the workspace, at a line if one is given. @param {string} path @param {number} [line] */
  async openFile(path, line) {
    const name = path.split("/").at(-1) ?? path;
    await this.#pick(path, name);
    // Every group has an active tab, and the same file may be open in two.
    await this.page.locator(".editor-group-container.active .tab.active", { hasText: name }).waitFor();
    if (line !== undefined) await this.goToLine(line);
  }

  /**
   * Types into the palette and takes the first row that has `row`. The palette closes when an earlier command takes the
   * focus: once more then.
   * @param {string} typed
   * @param {string} row
   */
  async #pick(typed, row) {
    const found = this.page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first();
    try {
      await tried(`“${row}” in the palette`, async (timeout) => {
        const input = await this.#openPicker();
        const attempt = ++lastAttempt;
        await answered(() => this.page.evaluate(letRowsTakeClicks, { wanted: row, attempt }));
        const isClicked = await worked(input.fill(typed, { timeout }).then(() => found.click({ timeout })));
        // A click whose confirmation took too long has run the command; while one loads the page anew, there is none to look at.
        if (await this.#rowTookClick(attempt).catch(() => isClicked)) return true;
        await this.page.keyboard.press("Escape");
        return this.#rowTookClick(attempt);
      });
    } catch (error) {
      // Else the rows that the test clicks on by itself would lose their clicks. Not awaited: a page without an answer must
      // not hide the error.
      void this.page.evaluate(letRowsTakeClicks, { attempt: ++lastAttempt }).catch(() => {});
      throw error;
    }
  }

  /** @param {number} attempt @returns {Promise<boolean>} */
  #rowTookClick(attempt) {
    return answered(() => this.page.evaluate(rowTookClick, attempt));
  }

  async #openPicker() {
    const widget = this.page.locator(".quick-input-widget");
    const input = widget.locator("input.input");
    // A picker that is just closing would swallow the text; one that stays is of an attempt that the machine was too
    // slow for.
    await tried("no picker", async (timeout) => {
      if ((await widget.count()) === 0) return true;
      if (await worked(widget.waitFor({ state: "hidden", timeout }))) return true;
      await input.press("Escape", { timeout });
      return false;
    });
    await tried("the palette", async (timeout) => {
      // A webview passes keys on only once it listens: pressed too early they are lost.
      await this.page.keyboard.press("F1");
      return worked(input.waitFor({ timeout }));
    });
    return input;
  }

  /** In the text in front, also where a command is still bringing it there. @param {number} line */
  async goToLine(line) {
    // A panel has no lines.
    await this.page.locator("[id='status.editor.selection']").waitFor();
    await tried(
      `line ${line} chosen`,
      async (timeout) => {
        const input = await this.#openPicker();
        await input.fill(`:${line}`, { timeout });
        await input.press("Enter", { timeout });
        return worked(input.waitFor({ state: "hidden", timeout }));
      },
      LINE_PATIENCE_MS,
    );
  }

  /** @param {string} title of a tab */
  tab(title) {
    return this.page.locator(".tab", { hasText: title });
  }

  /** A row of a view. @param {string | RegExp} text */
  row(text) {
    return this.page.locator(".sidebar .monaco-list-row", { hasText: text });
  }

  /** A message in the corner. @param {string | RegExp} text */
  message(text) {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  /** A message where it stays: in the corner it closes by itself. @param {string | RegExp} text */
  async notification(text) {
    const centre = this.page.locator(".notifications-center.visible");
    const message = centre.locator(".notification-list-item", { hasText: text }).first();
    await tried(`the message “${String(text)}”`, async (timeout) => {
      if (!(await centre.isVisible())) await this.command("Notifications: Show Notifications");
      return worked(message.waitFor({ timeout }));
    });
    return message;
  }

  /** Clears all messages, those in the corner too. The command closes the list of them: it clears no later ones. */
  async clearNotifications() {
    const centre = this.page.locator(".notifications-center.visible");
    await tried("the list of messages", async (timeout) => {
      if (!(await centre.isVisible())) await this.command("Notifications: Show Notifications");
      return worked(centre.waitFor({ timeout }));
    });
    await this.command("Notifications: Clear All Notifications");
    await centre.waitFor({ state: "hidden" });
  }

  /**
   * Presses a button of a row, which is there only while the mouse is over it. Views are drawn anew at any time: the
   * row then stands elsewhere, or lacks its buttons until the mouse moves. So again and again until the effect is seen.
   * @param {import("playwright-core").Locator} row
   * @param {string} name                            of the button
   * @param {() => boolean | Promise<boolean>} done  seen when it was pressed, and not before
   */
  async rowAction(row, name, done) {
    const button = row.getByRole("button", { name });
    let pressed = false;
    await tried(`“${name}” pressed in its row`, async (timeout) => {
      // A pressed button may take its time, and must not be pressed once more until then.
      if (pressed && (await worked(until("it", done, 5 * timeout)))) return true;
      await this.page.mouse.move(0, 0);
      await row.hover({ timeout });
      await button.click({ timeout });
      pressed = true;
      return false;
    });
  }

  /** Shows our views. */
  async showViews() {
    const header = this.page.locator(".sidebar .pane-header", { hasText: "Targets" });
    const icon = this.page.locator(".activitybar .action-item", {
      has: this.page.locator("[aria-label^='Extrospect']"),
    });
    await tried(
      "our views",
      async (timeout) => {
        // A second click on the icon would hide them, and so does one while they are just being drawn: once more then.
        if (!(await header.isVisible())) await icon.first().click({ timeout });
        return worked(header.waitFor({ timeout }));
      },
      VIEWS_PATIENCE_MS,
    );
  }
}

/**
 * Tests that follow each other in one editor. When one fails, a picture of the editor is kept, and the ones after it
 * fail at once.
 * @param {() => Editor} editor
 * @param {() => void} [onFailure]
 */
export function editorSteps(editor, onFailure = () => {}) {
  /** @type {string | undefined} */
  let failed;
  return (/** @type {string} */ name, /** @type {() => Promise<void>} */ run) =>
    test(name, { timeout: 4 * PATIENCE_MS }, async () => {
      if (failed !== undefined) assert.fail(`not reached: “${failed}” failed`);
      try {
        await run();
      } catch (error) {
        failed = name;
        onFailure();
        await editor().keepEvidence(name);
        // A report of another machine has the message and no screenshot.
        if (error instanceof Error) error.message += `\nIn sight:\n${await editor().inSight()}`;
        throw error;
      }
    });
}
