// VS Code in the browser on loopback, from the cache folder, with the extension installed in it.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram, lastLines, run } from "./command.mjs";
import { installedEditor } from "./install-editor.mjs";
import { Interrupted, Problem } from "./problem.mjs";

const START_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 5_000;
const LOOK_MS = 100;

/** What every session starts with: no tour, no account, nothing that asks the network. */
export const QUIET_SETTINGS = {
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
};

/**
 * @typedef {object} EditorServerOptions
 * @property {string} home                  folder for all it writes; made when missing
 * @property {string} [vsix]                installed first
 * @property {Record<string, unknown>} [settings]  of the user; written only when the file is not there
 * @property {string[]} [flags]
 * @property {NodeJS.ProcessEnv} [environment]  added to this process's own
 * @property {string[]} [wrapper]           what the server is started with
 * @property {AbortSignal | undefined} [signal]
 *
 * @typedef {object} EditorServer
 * @property {string} address               `http://127.0.0.1:PORT`
 * @property {() => string} said            what it printed
 * @property {string} data                  settings and logs
 * @property {Promise<void>} ended
 * @property {() => Promise<void>} stop     all of it is gone afterwards
 */

/**
 * @param {EditorServerOptions} options
 * @returns {Promise<EditorServer>} answering
 */
export async function startEditorServer({ home, vsix, settings = {}, flags = [], environment = {}, wrapper = [], signal }) {
  const { node, entry } = installedEditor();
  const [data, extensions, config] = [join(home, "data"), join(home, "extensions"), join(home, "config.yaml")];
  mkdirSync(join(data, "User"), { recursive: true });
  mkdirSync(extensions, { recursive: true });
  // Without a configuration of its own it would write one into the user's home.
  writeFileSync(config, "auth: none\n");
  writeOnce(join(data, "User/settings.json"), JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));
  const base = [entry, "--config", config, "--user-data-dir", data, "--extensions-dir", extensions];
  const env = { ...cleanEnvironment(), HOME: home, ...environment };
  if (vsix !== undefined) {
    const { code, stdout, stderr } = await run(node, [...base, "--install-extension", vsix, "--force"], { env, ...(signal && { signal }) });
    if (code !== 0) throw new Problem("the extension cannot be installed into VS Code in the browser", lastLines(stderr || stdout), "npm run package");
  }
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-proxy", "--disable-getting-started-override", "--ignore-last-opened"];
  const [command = "", ...args] = [...diesWithUs(), ...wrapper, node, ...base, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, ...quiet, ...flags];
  // A group of its own: Ctrl-C is for us, and all its children can be ended at once.
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let said = "";
  const keep = (/** @type {string} */ text) => void (said = (said + text).slice(-20_000));
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  const end = (/** @type {NodeJS.Signals} */ name) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // gone
    }
  };
  const killed = () => end("SIGKILL");
  process.once("exit", killed);
  let isOver = false;
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    const over = () => {
      isOver = true;
      process.removeListener("exit", killed);
      resolve();
    };
    child.once("exit", over);
    child.once("error", (error) => {
      keep(error.message);
      over();
    });
  });
  const stop = async () => {
    end("SIGTERM");
    const patience = setTimeout(killed, STOP_PATIENCE_MS);
    await ended;
    clearTimeout(patience);
    // What its children left behind: the group lives on without its first process.
    killed();
  };
  for (const startedMs = performance.now(); !(await answers(`${address}/healthz`)); await sleep(LOOK_MS)) {
    if (signal?.aborted) {
      await stop();
      throw new Interrupted();
    }
    if (!isOver && performance.now() - startedMs < START_PATIENCE_MS) continue;
    await stop();
    throw new Problem("VS Code in the browser does not start", lastLines(said), "npm start again; or -- --no-editor");
  }
  return { address, data, said: () => said, ended, stop };
}

/** @param {string} file @param {string} text */
function writeOnce(file, text) {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
  }
}

/** Without what an editor around us tells its own children, and without an extension gallery to ask. */
function cleanEnvironment() {
  const ours = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_RUN|NODE_OPTIONS$|NODE_TEST_CONTEXT$|XDG_)/.test(name));
  return { ...Object.fromEntries(ours), EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "", itemUrl: "", resourceUrlTemplate: "" }) };
}

/** Even when we are killed it does not stay. */
function diesWithUs() {
  return findProgram("setpriv") === null ? [] : ["setpriv", "--pdeathsig", "TERM", "--"];
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** @param {string} url */
async function answers(url) {
  try {
    const { ok } = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return ok;
  } catch {
    return false;
  }
}
