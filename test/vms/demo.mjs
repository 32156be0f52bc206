// The bundled demo as a stock VM of any release.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const DEMO = join(import.meta.dirname, "../../demo/src");

/**
 * Compiled by the installation's own compiler; it ends with this process at the latest.
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @returns {Promise<{pid: number, kill: () => void}>}
 */
export async function startDemo(otp) {
  const inside = `/var/tmp/extrospect-demo-${process.pid}-${otp.release}`;
  const here = otp.hostPath(inside);
  mkdirSync(here, { recursive: true });
  const remove = () => rmSync(here, { recursive: true, force: true });
  process.once("exit", remove);
  cpSync(DEMO, here, { recursive: true });
  cpSync(join(DEMO, "demo.app.src"), join(here, "demo.app"));
  const sources = readdirSync(DEMO).filter((name) => name.endsWith(".erl"));
  const [compile, ...compileArgs] = otp.wrap(["/bin/sh", "-c", 'cd "$0" && exec erlc +debug_info "$@"', inside, ...sources]);
  execFileSync(compile, compileArgs);
  const program = '{ok, _} = application:ensure_all_started(demo), io:format("~s~n", [os:getpid()]), io:get_line(""), halt().';
  const [command, ...args] = otp.wrap(["/usr/bin/erl", "-noshell", "-pa", inside, "-eval", program]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], cwd: "/" });
  const pid = Number(
    await new Promise((resolve, reject) => {
      child.stdout.once("data", resolve);
      child.once("close", () => reject(new Error("the demo ended")));
    }),
  );
  const kill = () => {
    child.kill("SIGKILL");
    process.off("exit", remove);
    remove();
  };
  return { pid, kill };
}
