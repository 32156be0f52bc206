// VS Code in the browser, on loopback, with a home of its own: nothing of the user's editors is read or changed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { boundToThis } from "./bound-process.mjs";
import { lastLines, run } from "./command.mjs";
import { installedEditor } from "./install-editor.mjs";
import { PATIENCE_MS } from "./patience.mjs";
import { Problem } from "./problem.mjs";
import { inTemporaryFolder } from "./temporary-folder.mjs";

const STOP_PATIENCE_MS = 5_000;

// Only Extrospect's own messages pop up, and nothing queries the network. Values of an older form would be rewritten at
// each start: the editor opens the file for it, and with it the servers of JSON and TypeScript.
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "workbench.colorTheme": "Dark Modern",
};
const NO_GALLERY = JSON.stringify({ serviceUrl: "", itemUrl: "", resourceUrlTemplate: "" });

/**
 * @typedef {object} ServerOptions
 * @property {string} home                         folder for everything it writes; made when it is not there
 * @property {string} [vsix]                       installed first
 * @property {string} [extensions]                 folder of installed extensions, of which it gets a copy
 * @property {Record<string, unknown>} [settings]  more of the user's settings
 * @property {Record<string, unknown>} [machineSettings]  those that only the machine's own settings may have
 * @property {{key: string, command: string, args?: unknown}[]} [keybindings]  of the user
 * @property {boolean} [trust]                     false: workspaces are not trusted until the user trusts them
 * @property {string[]} [args]                     more arguments of the server
 * @property {Record<string, string>} [env]
 * @property {string[]} [as]                       command that starts the server, as another user for example
 * @property {AbortSignal | undefined} [signal]
 *
 * @typedef {object} EditorServer
 * @property {string} address                      `http://127.0.0.1:PORT`
 * @property {number} port
 * @property {number} pid
 * @property {string} dataFolder                   settings and logs
 * @property {Promise<unknown>} ended
 * @property {() => string} printed                   the end of its output
 * @property {() => Promise<void>} stop
 */

/**
 * Installs the VSIX and starts a server. The editor must be installed.
 * @param {ServerOptions} options
 * @returns {Promise<EditorServer>}
 */
export async function serveEditor({
  home,
  vsix,
  extensions,
  settings = {},
  machineSettings = {},
  keybindings = [],
  trust = true,
  args = [],
  env = {},
  as = [],
  signal,
}) {
  const { node, server } = installedEditor();
  const dataFolder = join(home, "data");
  for (const name of ["User", "Machine"]) mkdirSync(join(dataFolder, name), { recursive: true });
  writeFileSync(join(dataFolder, "User/settings.json"), JSON.stringify({ ...SETTINGS, ...settings }, null, 2));
  writeFileSync(join(dataFolder, "Machine/settings.json"), JSON.stringify(machineSettings, null, 2));
  writeFileSync(join(dataFolder, "User/keybindings.json"), JSON.stringify(keybindings, null, 2));
  const ownExtensions = join(home, "extensions");
  if (extensions === undefined) mkdirSync(ownExtensions, { recursive: true });
  else copyExtensions(extensions, ownExtensions);
  const environment = serverEnvironment(home, env);
  if (vsix !== undefined) await installVsix(vsix, { home, dataFolder, extensions: ownExtensions }, environment, signal);
  if (as.length > 0) await run("chmod", ["-R", "a+rwX", home]);
  // After the change of the user, which would undo it. Its other processes end with it.
  const [command = node, ...before] = [...as, ...boundToThis("KILL"), node];
  // No password is needed: only this machine can reach it.
  const places = [
    "--host",
    "127.0.0.1",
    // The kernel chooses it: one that was free a moment ago may be taken.
    "--port",
    "0",
    "--user-data-dir",
    dataFolder,
    "--server-data-dir",
    dataFolder,
    "--extensions-dir",
    ownExtensions,
  ];
  const flags = [
    "--without-connection-token",
    "--accept-server-license-terms",
    "--telemetry-level",
    "off",
    "--disable-update-check",
  ];
  const serving = spawn(
    command,
    [...before, server, ...places, ...flags, ...(trust ? ["--disable-workspace-trust"] : []), ...args],
    {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a process group, so that all of it can be ended
    },
  );
  let printed = "";
  for (const stream of [serving.stdout, serving.stderr])
    stream.setEncoding("utf8").on("data", (text) => (printed = (printed + text).slice(-20_000)));
  const kill = () => killGroup(serving, "SIGKILL");
  process.once("exit", kill);
  const ended = once(serving, "exit").finally(() => process.off("exit", kill));
  let port = 0;
  try {
    port = await servedPort(() => printed, serving, signal);
  } catch (error) {
    await stopGroup(serving);
    throw new Problem(
      "VS Code in the browser does not start",
      lastLines(printed) || String(error),
      "node scripts/install-editor.mjs",
    );
  }
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    pid: serving.pid ?? 0,
    dataFolder,
    ended,
    printed: () => printed,
    stop: () => stopGroup(serving),
  };
}

/**
 * @param {string} vsix
 * @param {{home: string, dataFolder: string, extensions: string}} folders
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal} [signal]
 */
async function installVsix(vsix, { home, dataFolder, extensions }, env, signal) {
  const { node, entry } = installedEditor();
  const config = join(home, "config.yaml");
  writeFileSync(config, "auth: none\n");
  const { code, stdout, stderr } = await run(
    node,
    [
      entry,
      "--config",
      config,
      "--user-data-dir",
      dataFolder,
      "--extensions-dir",
      extensions,
      "--install-extension",
      vsix,
      "--force",
    ],
    {
      env,
      ...(signal && { signal }),
    },
  );
  if (code !== 0) throw new Problem("the extension cannot be installed", lastLines(stdout + stderr), "npm run package");
}

/**
 * Installs a package into a folder of extensions, for editors that get a copy of it: installing takes longer than copying.
 * @param {string} vsix
 * @param {string} folder   made, and not there before
 */
export async function installExtension(vsix, folder) {
  await inTemporaryFolder((home) =>
    installVsix(vsix, { home, dataFolder: join(home, "data"), extensions: folder }, serverEnvironment(home, {})),
  );
}

/** @param {string} from @param {string} to */
function copyExtensions(from, to) {
  cpSync(from, to, { recursive: true });
  // The list of them has absolute paths.
  const list = join(to, "extensions.json");
  writeFileSync(
    list,
    readFileSync(list, "utf8").replaceAll(JSON.stringify(from).slice(1, -1), JSON.stringify(to).slice(1, -1)),
  );
}

/** @param {string} home @param {Record<string, string>} more */
function serverEnvironment(home, more) {
  // The variables that an outer editor left in the environment would be taken for this one's.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|XDG_|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/.test(name),
  );
  return { ...Object.fromEntries(own), HOME: home, EXTENSIONS_GALLERY: NO_GALLERY, ...more };
}

/**
 * The port that it has printed, once it answers there.
 * @param {() => string} printed @param {import("node:child_process").ChildProcess} server @param {AbortSignal | undefined} signal
 */
async function servedPort(printed, server, signal) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    signal?.throwIfAborted();
    const [, port] = /^Extension host agent listening on (\d+)$/m.exec(printed()) ?? [];
    const answer = port === undefined ? null : await fetch(`http://127.0.0.1:${port}/version`).catch(() => null);
    if (answer?.ok) return Number(port);
    if (server.exitCode !== null) throw new Error(`it ended with ${server.exitCode}`);
    if (performance.now() > deadline) throw new Error("it does not answer");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @param {import("node:child_process").ChildProcess} server @param {NodeJS.Signals} signal */
function killGroup(server, signal) {
  if (server.pid === undefined) return;
  try {
    process.kill(-server.pid, signal);
  } catch {
    // Gone already.
  }
}

/** @param {import("node:child_process").ChildProcess} server */
async function stopGroup(server) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  killGroup(server, "SIGTERM");
  const timer = setTimeout(() => killGroup(server, "SIGKILL"), STOP_PATIENCE_MS);
  await gone;
  clearTimeout(timer);
}
