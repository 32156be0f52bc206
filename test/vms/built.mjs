// Installations whose emulator was built here (scripts/build-otp.mjs) and whose libraries are those
// of the Debian package of the same version.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureBuiltOtp, ensureInterpreter, ensureLinked } from "../../scripts/build-otp.mjs";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { prepareOtp } from "./otp.mjs";

/**
 * @typedef {object} BuiltKind
 * @property {"emu" | "jit"} flavor
 * @property {"lcnt" | "debug"} [type]
 * @property {boolean} [stripped]
 */

/**
 * @param {import("../../scripts/build-otp.mjs").BuiltRelease} release
 * @param {BuiltKind} kind
 * @returns {Promise<import("./otp.mjs").OtpInstallation>}
 */
export const builtOtp = async (release, kind) => installation(release, kind, await ensureBuiltOtp(release));

/**
 * With the interpreter, which is built alone when there is none yet.
 * @param {import("../../scripts/build-otp.mjs").BuiltRelease} release
 * @returns {Promise<import("./otp.mjs").OtpInstallation>}
 */
export const interpreterOtp = async (release) =>
  installation(release, { flavor: "emu" }, await ensureInterpreter(release));

/**
 * With a JIT that was linked twice of the same objects, which is built alone.
 * @param {import("../../scripts/build-otp.mjs").BuiltRelease} release
 * @param {{order: "given" | "reversed", stripped: boolean}} link
 */
export async function linkedOtp(release, { order, stripped }) {
  const folder = await ensureLinked(release);
  const kind = /** @type {BuiltKind} */ ({ flavor: "jit", stripped });
  return installation(release, kind, order === "given" ? folder : join(folder, order), `${release}-${order}`);
}

/**
 * @param {import("../../scripts/build-otp.mjs").BuiltRelease} release
 * @param {BuiltKind} kind
 * @param {string} folder   of the emulators
 * @param {string} [name]   of the folder that the installation sees them in
 * @returns {Promise<import("./otp.mjs").OtpInstallation>}
 */
async function installation(release, { flavor, type, stripped = false }, folder, name = release) {
  const otp = await prepareOtp(release);
  const bin = await placed(otp, folder, name);
  const inside = stripped ? `${bin}/stripped` : bin;
  const start = [
    "/usr/bin/env",
    "ROOTDIR=/usr/lib/erlang",
    `BINDIR=${inside}`,
    "EMU=beam",
    "PROGNAME=erl",
    `${inside}/erlexec`,
    "-emu_flavor",
    flavor,
    ...(type ? ["-emu_type", type] : []),
  ];
  return {
    ...otp,
    wrap: (argv) => {
      const [program, ...args] = argv;
      return otp.wrap(program === "/usr/bin/erl" ? /** @type {[string, ...string[]]} */ ([...start, ...args]) : argv);
    },
  };
}

/** Of this process, as an installation sees it. */
const FOLDER = openPath("built");

/**
 * Puts the emulators where the installation sees them, with the package's programs that a VM starts.
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {string} folder
 * @param {string} name
 * @returns {Promise<string>} as the installation sees it
 */
async function placed(otp, folder, name) {
  const here = join(otp.hostPath(FOLDER), name);
  if (existsSync(here)) return join(FOLDER, name);
  process.on("exit", () => rmSync(dirname(here), { recursive: true, force: true }));
  mkdirSync(dirname(here), { recursive: true });
  cpSync(folder, here, { recursive: true });
  const installed = otp.hostPath("/usr/lib/erlang");
  const erts = readdirSync(installed).find((name) => name.startsWith("erts-")) ?? "";
  for (const to of [here, join(here, "stripped")]) {
    for (const name of ["erlexec", "inet_gethost"]) copyFileSync(join(installed, erts, "bin", name), join(to, name));
  }
  return join(FOLDER, name);
}
