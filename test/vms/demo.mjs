// The bundled demo as a stock VM of any release.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const DEMO = join(import.meta.dirname, "../../demo/src");

/**
 * Compiled by the installation's own compiler; it ends with this process at the latest.
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {string[]} [emulatorFlags]
 * @returns {Promise<{pid: number, kill: () => void}>}
 */
export async function startDemo(otp, emulatorFlags = []) {
  const program = '{ok, _} = application:ensure_all_started(demo), io:format("~s~n", [os:getpid()]), io:get_line(""), halt().';
  const [command, ...args] = otp.wrap(["/usr/bin/erl", ...emulatorFlags, "-noshell", "-pa", compiledDemo(otp), "-eval", program]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], cwd: "/" });
  const pid = Number(
    await new Promise((resolve, reject) => {
      child.stdout.once("data", resolve);
      child.once("close", () => reject(new Error("the demo ended")));
    }),
  );
  return { pid, kill: () => child.kill("SIGKILL") };
}

/** @type {Set<string>} */
const compiled = new Set();

/** The folder with the .beam files, as the installation sees it. @param {import("./otp.mjs").OtpInstallation} otp */
function compiledDemo(otp) {
  const inside = `/var/tmp/extrospect-demo-${process.pid}-${otp.release}`;
  const here = otp.hostPath(inside);
  if (compiled.has(here)) return inside;
  mkdirSync(here, { recursive: true });
  process.once("exit", () => rmSync(here, { recursive: true, force: true }));
  cpSync(DEMO, here, { recursive: true });
  cpSync(join(DEMO, "demo.app.src"), join(here, "demo.app"));
  const sources = readdirSync(DEMO).filter((name) => name.endsWith(".erl"));
  const [compile, ...compileArgs] = otp.wrap(["/bin/sh", "-c", 'cd "$0" && exec erlc +debug_info "$@"', inside, ...sources]);
  execFileSync(compile, compileArgs);
  compiled.add(here);
  return inside;
}
