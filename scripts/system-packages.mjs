// Debian packages that set-up needs: installed where this user may, else named.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { Problem } from "./problem.mjs";

/**
 * @typedef {object} Requirement
 * @property {string} package
 * @property {string} [program]  if this is found on $PATH the package need not be there
 * @property {string} [file]     the same for a file
 */

/** @type {Requirement[]} */
export const BUILD_REQUIREMENTS = [
  { package: "gcc", program: "cc" }, // the linker of cargo
  { package: "libc6-dev", file: "/usr/lib/x86_64-linux-gnu/libc.a" }, // for a static helper
];

/** @type {Requirement[]} */
export const DEMO_REQUIREMENTS = [{ package: "erlang-base", program: "erlc" }];

/** @type {Requirement[]} */
export const ELIXIR_DEMO_REQUIREMENTS = [...DEMO_REQUIREMENTS, { package: "elixir", program: "mix" }];

/** @type {Requirement[]} */
export const TEST_REQUIREMENTS = [
  { package: "erlang-base" },
  { package: "erlang-dev" },
  { package: "erlang-crypto" },
  { package: "erlang-tools" },
  { package: "erlang-runtime-tools" },
  { package: "rabbitmq-server" },
  { package: "elixir" },
  { package: "mmdebstrap", program: "mmdebstrap" },
  { package: "git", program: "git" },
  { package: "strace", program: "strace" },
  { package: "util-linux", program: "unshare" },
  { package: "libcap2-bin", program: "getcap" },
  { package: "sudo", program: "sudo" }, // each with a rule for the installed copy
  { package: "doas", program: "doas" },
  { package: "openssh-server", file: "/usr/sbin/sshd" }, // another host, on this machine
  { package: "openssh-client", program: "ssh" },
  { package: "curl", program: "curl" }, // fetches debug files and talks to stores
  { package: "linux-perf", program: "perf" }, // another profiler to agree with
  { package: "golang-go", program: "go" },
  { package: "shellcheck", program: "shellcheck" }, // looks at the script of docs/ci
  { package: "chromium-headless-shell", program: "chromium-headless-shell" },
  { package: "debuginfod", program: "debuginfod" }, // serves debug files by build id
  { package: "qemu-system-x86", program: "qemu-system-x86_64" }, // a machine with Debian's kernel, that can be suspended
  { package: "busybox-static", file: "/bin/busybox" },
  { package: "cpio", program: "cpio" },
  { package: "fonts-noto-color-emoji" }, // else screenshots show boxes
];

/**
 * The packages for installing and driving VS Code in the browser.
 * @type {Requirement[]}
 */
export const EDITOR_REQUIREMENTS = [
  { package: "g++", program: "g++" },
  { package: "make", program: "make" },
  { package: "python3", program: "python3" },
  { package: "libkrb5-dev", file: "/usr/include/gssapi/gssapi.h" }, // kerberos, one of its modules, is compiled
];

/**
 * Packages that bring a service must not start it: we want the program, not the service. A policy of a run that was killed is
 * known by its mark. The lock ends with the last program of the script: two runs neither remove each other's policy nor end
 * at the lock of apt. The script ends while packages are fetched, at once, and not between two files of one that is installed.
 * @param {{policy?: string, lock?: string}} [places]
 */
export const installScript = ({
  policy = "/usr/sbin/policy-rc.d",
  // In a folder that is root's alone.
  lock = "/run/extrospect-packages.lock",
} = {}) => `
set -e
policy='${policy}'
mark='# Of the set-up of Extrospect, and gone after it.'
mkdir -p '${dirname(lock)}'
exec 9> '${lock}'
flock 9
fetching=
trap '[ -z "$fetching" ] || kill "$fetching"; exit 130' INT TERM HUP
fetch() {
  "$@" & fetching=$!
  wait "$fetching"
  fetching=
}
if [ ! -e "$policy" ] || grep -qxF "$mark" "$policy"; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\n%s\\nexit 101\\n' "$mark" > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
fetch apt-get update -q
fetch apt-get install -q -y --no-install-recommends --download-only "$@"
apt-get install -q -y --no-install-recommends "$@"
`;

/**
 * @param {Requirement[]} requirements
 * @param {{signal?: AbortSignal | undefined, progress?: (text: string) => void}} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function ensureSystemPackages(requirements, { signal, progress } = {}) {
  const missing = await missingPackages(requirements);
  if (missing.length === 0) return "ready";
  const names = missing.join(" ");
  const byHand = `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}`;
  if (findProgram("apt-get") === null) {
    throw new Problem(
      `this machine lacks: ${names}`,
      "it has no apt-get",
      "install what these Debian packages contain",
    );
  }
  const prefix = await asRoot();
  if (prefix === null) {
    throw new Problem(
      `system packages are missing: ${names}`,
      "installing them takes root or sudo without password",
      byHand,
    );
  }
  progress?.(`installing ${names}`);
  const [command = "", ...args] = [...prefix, "/bin/sh", "-c", installScript(), "install", ...missing];
  const { code, stderr, stdout } = await run(command, args, { ...(signal && { signal }) });
  if (code !== 0) {
    throw new Problem(`apt-get could not install ${names}`, lastLines(stderr || stdout, 6), byHand);
  }
  return `installed ${names}`;
}

/** The start of a command that runs as root, null when there is none. @returns {Promise<string[] | null>} */
async function asRoot() {
  if (process.getuid?.() === 0) return [];
  if (findProgram("sudo") === null) return null;
  const { code } = await run("sudo", ["-n", "true"]);
  return code === 0 ? ["sudo", "-n"] : null;
}

/**
 * @param {Requirement[]} requirements
 * @returns {Promise<string[]>} package names
 */
async function missingPackages(requirements) {
  const open = requirements.filter(
    ({ program, file }) => !(program && findProgram(program)) && !(file && existsSync(file)),
  );
  if (open.length === 0) return [];
  if (findProgram("dpkg-query") === null) return open.map((requirement) => requirement.package);
  const names = open.map((requirement) => requirement.package);
  // Fails when one is unknown, and still lists the others.
  const { stdout } = await run("dpkg-query", ["-W", "-f", "${Package} ${db:Status-Status}\\n", ...names]);
  return notInstalled(names, stdout);
}

/**
 * @param {string[]} names
 * @param {string} dpkgList  lines of "PACKAGE STATUS"
 */
export function notInstalled(names, dpkgList) {
  const installed = new Set(
    dpkgList
      .split("\n")
      .filter((line) => line.endsWith(" installed"))
      .map((line) => line.split(" ")[0]),
  );
  return names.filter((name) => !installed.has(name));
}
