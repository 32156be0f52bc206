// A web application in Elixir as a framework lays it out: contexts, endpoint, router, controller, templates, and a
// dependency. Its visitors are in the same VM.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { outputOf } from "../../scripts/command.mjs";

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "web");
const BOOT = `{:ok, _} = Storefront.Application.start(:normal, [])
IO.puts("ready #{System.pid()}")
IO.gets("")
System.halt()`;

/**
 * Compiles the project where it is copied to, and runs it.
 * @param {string} folder   that of the project, which need not exist yet
 * @returns {Promise<{pid: number, stop: () => Promise<void>}>}
 */
export async function runWebProject(folder) {
  cpSync(PROJECT, folder, { recursive: true });
  const ebins = [];
  for (const [name, root] of [
    ["pipeline", "deps/pipeline"],
    ["storefront", "."],
  ]) {
    const ebin = `_build/dev/lib/${name}/ebin`;
    mkdirSync(join(folder, ebin), { recursive: true });
    const sources = readdirSync(join(folder, `${root}/lib`), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ex"))
      .map((file) => join(root ?? "", "lib", file));
    await outputOf("elixirc", ["-pa", "_build/dev/lib/pipeline/ebin", "-o", ebin, ...sources], {
      cwd: folder,
      help: "sudo apt-get install elixir",
    });
    ebins.push("-pa", ebin);
  }
  // Without schedulers that wait awake: the editor needs the processors.
  const child = spawn("elixir", ["--erl", "+sbwt none", ...ebins, "-e", BOOT], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  const lines = createInterface({ input: child.stdout });
  const pid = await new Promise((resolve, reject) => {
    void ended.then((code) => reject(new Error(`the web application ended with ${String(code)}`)));
    lines.on("line", (line) => {
      const [, found] = /^ready (\d+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  return { pid, stop };
}
