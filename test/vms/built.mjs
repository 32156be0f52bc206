// Installations whose emulator was built here (scripts/build-otp.mjs) and whose libraries are those
// of the Debian package of the same version.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureBuiltOtp } from "../../scripts/build-otp.mjs";
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
export async function builtOtp(release, { flavor, type, stripped = false }) {
  const otp = await prepareOtp(release);
  const bin = await placed(otp, await ensureBuiltOtp(release));
  const inside = stripped ? `${bin}/stripped` : bin;
  const start = ["/usr/bin/env", "ROOTDIR=/usr/lib/erlang", `BINDIR=${inside}`, "EMU=beam", "PROGNAME=erl", `${inside}/erlexec`, "-emu_flavor", flavor, ...(type ? ["-emu_type", type] : [])];
  return {
    ...otp,
    wrap: (argv) => {
      const [program, ...args] = argv;
      return otp.wrap(program === "/usr/bin/erl" ? /** @type {[string, ...string[]]} */ ([...start, ...args]) : argv);
    },
  };
}

/**
 * Puts the emulators where the installation sees them, with the package's programs that a VM starts.
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {string} folder
 * @returns {Promise<string>} as the installation sees it
 */
async function placed(otp, folder) {
  const inside = `/var/tmp/extrospect-built-${process.pid}`;
  const here = join(otp.hostPath(inside), otp.release);
  if (existsSync(here)) return join(inside, otp.release);
  process.on("exit", () => rmSync(dirname(here), { recursive: true, force: true }));
  mkdirSync(dirname(here), { recursive: true });
  cpSync(folder, here, { recursive: true });
  const installed = otp.hostPath("/usr/lib/erlang");
  const erts = readdirSync(installed).find((name) => name.startsWith("erts-")) ?? "";
  for (const to of [here, join(here, "stripped")]) {
    for (const name of ["erlexec", "inet_gethost"]) copyFileSync(join(installed, erts, "bin", name), join(to, name));
  }
  return join(inside, otp.release);
}
