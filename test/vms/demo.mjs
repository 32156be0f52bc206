// The bundled demo as a stock VM of any release.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cached, hashOf } from "../cached.mjs";
import { IDLE_SLEEPS } from "./idle-sleeps.mjs";

const DEMO = join(import.meta.dirname, "../../demo/src");
/** Flags for a test that needs samples now and then: customers rest most of the time. */
export const UNHURRIED = [...IDLE_SLEEPS, "-demo", "pause_ms", "100"];

/**
 * Compiled by the installation's own compiler; it ends with this process at the latest.
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {string[]} [emulatorFlags]
 * @returns {Promise<{pid: number, kill: () => void}>}
 */
export async function startDemo(otp, emulatorFlags = []) {
  const program =
    '{ok, _} = application:ensure_all_started(demo), io:format("~s~n", [os:getpid()]), io:get_line(""), halt().';
  const [command, ...args] = otp.wrap([
    "/usr/bin/erl",
    ...emulatorFlags,
    "-noshell",
    "-pa",
    await compiledDemo(otp),
    "-eval",
    program,
  ]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], cwd: "/" });
  const pid = Number(
    await new Promise((resolve, reject) => {
      child.stdout.once("data", resolve);
      child.once("close", () => reject(new Error("the demo ended")));
    }),
  );
  return { pid, kill: () => child.kill("SIGKILL") };
}

/** The folder with the .beam files, as the installation sees it; compiled once for all test files. @param {import("./otp.mjs").OtpInstallation} otp */
async function compiledDemo(otp) {
  const sources = readdirSync(DEMO).sort();
  const inside = `/var/tmp/extrospect-demo/${hashOf([otp.release, ...sources.flatMap((name) => [name, readFileSync(join(DEMO, name))])])}`;
  await cached(otp.hostPath(inside), async (here) => {
    cpSync(DEMO, here, { recursive: true });
    cpSync(join(DEMO, "demo.app.src"), join(here, "demo.app"));
    const [compile, ...args] = otp.wrap([
      "/bin/sh",
      "-c",
      'cd "$0" && exec erlc +debug_info "$@"',
      inside,
      ...sources.filter((name) => name.endsWith(".erl")),
    ]);
    execFileSync(compile, args);
  });
  return inside;
}
