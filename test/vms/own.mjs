// A project in Erlang and Elixir whose sources mark their hot lines, compiled as mix and rebar3 do.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { runErl } from "./vm.mjs";

const run = promisify(execFile);
export const OWN_PROJECT = join(import.meta.dirname, "own");
export const OWN_FILES = ["src/own_shop.erl", "lib/own_item.ex", "lib/own_market.ex", "lib/own_price.ex"];

/**
 * Compiles the project, dependencies where they are, and runs it.
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {string} inside   the folder for it as the installation sees it, which is not there yet
 */
export async function runOwnProject(otp, inside) {
  const folder = otp.hostPath(inside);
  cpSync(OWN_PROJECT, folder, { recursive: true });
  const compiled = `${inside}/_build`;
  mkdirSync(join(folder, "_build"));
  const compile = (/** @type {string} */ below, /** @type {string[]} */ ...argv) => {
    const [command, ...args] = otp.wrap(["/bin/sh", "-c", 'cd "$0" && exec "$@"', `${inside}/${below}`, ...argv]);
    // Elixir warns when file names are not in Unicode.
    return run(command, args, { env: { ...process.env, LC_ALL: "C.UTF-8" } });
  };
  await compile("deps/own_dep", "elixirc", "-o", compiled, "lib/own_dep.ex");
  // One after the other: each needs the modules compiled before it.
  for (const file of ["lib/own_price.ex", "lib/own_item.ex", "lib/own_market.ex"])
    await compile("", "elixirc", "-pa", compiled, "-o", compiled, file);
  await compile("", "erlc", "-o", compiled, "src/own_shop.erl");
  const vm = await runErl({
    otp,
    module: "own_shop",
    emulatorFlags: ["-pa", compiled, "/usr/lib/elixir/lib/elixir/ebin"],
  });
  return { vm, folder };
}

/** The hot lines of the sources, by function. @returns {Map<string, {file: string, line: number}>} */
export function hotLines() {
  const hot = new Map();
  for (const file of OWN_FILES) {
    readFileSync(join(OWN_PROJECT, file), "utf8")
      .split("\n")
      .forEach((text, index) => {
        const name = /^\s*(?:%%|#) hot: (.*)$/.exec(text)?.[1];
        if (name !== undefined) hot.set(name, { file, line: index + 2 });
      });
  }
  return hot;
}
