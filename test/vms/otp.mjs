// Finds or prepares the Erlang/OTP installations the tests run against.
//
// OTP 25 is the Debian 12 package on this machine. The others are packages of other Debian
// releases in root folders made by mmdebstrap and kept in the user's cache, so that a fresh
// checkout does not download them again. Their VMs run with that folder as their root, in a
// mount namespace of their own: nothing stays mounted when one ends, whatever ends it.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../scripts/cache-folder.mjs";
import { lastLines, outputOf, run } from "../../scripts/command.mjs";
import { fileLock } from "../../scripts/file-lock.mjs";
import { Problem } from "../../scripts/problem.mjs";
import { shellWord } from "../../scripts/shell-word.mjs";

/**
 * @typedef {"23" | "25" | "27" | "29"} OtpRelease
 * @typedef {[command: string, ...args: string[]]} Argv
 *
 * @typedef {object} OtpInstallation
 * @property {OtpRelease} release
 * @property {string} root              root folder of the installation: "/" or the prepared one
 * @property {string | null} rabbitmqHome     folder of rabbitmq-server inside `root`, null when absent
 * @property {string | null} rabbitmqPlugins  folder of the libraries it brings, amqp_client among them; null when they are archives
 * @property {(argv: Argv) => Argv} wrap
 *   turns a command inside the installation into one that can be started here; the process
 *   started is the command itself (every wrapper execs), so its pid is the VM's pid
 * @property {(insidePath: string) => string} hostPath  path inside the installation -> path here
 */

const ERLANG_PACKAGES = [
  "erlang-base",
  "erlang-crypto",
  "erlang-tools",
  "erlang-runtime-tools",
  "erlang-mnesia",
  "erlang-os-mon",
  "erlang-ssl",
  "erlang-eldap",
  "erlang-inets",
  "erlang-xmerl",
  "erlang-syntax-tools",
  "erlang-parsetools",
  "erlang-public-key",
  "erlang-asn1",
];

/**
 * Prepared roots by OTP release: the Debian suite and its packages. A change of a list makes a new folder.
 * @type {Partial<Record<OtpRelease, { suite: string, debian: string, packages: string[] }>>}
 */
const ROOTS = {
  23: { suite: "bullseye", debian: "Debian 11", packages: [...ERLANG_PACKAGES, "rabbitmq-server"] },
  27: { suite: "trixie", debian: "Debian 13", packages: [...ERLANG_PACKAGES, "rabbitmq-server", "elixir"] },
  29: { suite: "sid", debian: "Debian sid", packages: [...ERLANG_PACKAGES, "rabbitmq-server", "elixir"] },
};
const READY_MARK = ".extrospect-ready";

/** @type {OtpRelease[]} */
export const OTP_RELEASES = ["25", "27", "29"];

/** Every release there is a VM of. @type {OtpRelease[]} */
export const ALL_OTP_RELEASES = ["23", "25", "27", "29"];

/**
 * @param {OtpRelease} release
 * @param {AbortSignal} [signal]   of the run: a VM that gets Ctrl-C waits for an answer
 * @returns {Promise<OtpInstallation>}
 */
export function prepareOtp(release, signal) {
  // Looked at once for all tests of a file: each look starts a VM.
  const begun = prepared.get(release) ?? preparedOtp(release, signal);
  prepared.set(release, begun);
  return begun;
}
/** @type {Map<OtpRelease, Promise<OtpInstallation>>} */
const prepared = new Map();

/** @param {OtpRelease} release @param {AbortSignal} [signal] */
async function preparedOtp(release, signal) {
  const installation = release === "25" ? hostInstallation() : await chrootInstallation(release, signal);
  const found = await otpReleaseOf(installation, signal);
  if (found !== release) {
    throw new Problem(
      `there is no OTP ${release} under ${installation.root}`,
      `its erl is of OTP ${found}`,
      installation.root === "/"
        ? "run the tests on Debian 12"
        : `rm -r ${shellWord(installation.root)}   and try again`,
    );
  }
  return installation;
}

/** @returns {OtpInstallation} */
function hostInstallation() {
  if (!existsSync("/usr/bin/erl")) {
    throw new Problem(
      "OTP 25 is missing",
      "there is no /usr/bin/erl",
      "on Debian 12: apt-get install erlang-base erlang-tools rabbitmq-server",
    );
  }
  return {
    release: "25",
    root: "/",
    ...rabbitmqUnder("/"),
    wrap: (argv) => argv,
    hostPath: (path) => path,
  };
}

/**
 * @param {OtpRelease} release
 * @param {AbortSignal} [signal]
 * @returns {Promise<OtpInstallation>}
 */
async function chrootInstallation(release, signal) {
  const wanted = ROOTS[release];
  if (wanted === undefined) throw new Error(`there is no root folder for OTP ${release}`);
  return installationUnder(release, await preparedRoot({ name: wanted.suite, ...wanted }, signal));
}

/**
 * @param {OtpRelease} release
 * @param {string} root
 * @returns {OtpInstallation}
 */
export function installationUnder(release, root) {
  return {
    release,
    root,
    ...rabbitmqUnder(root),
    wrap: (argv) => [
      "unshare",
      "--mount",
      "--",
      "/bin/sh",
      "-c",
      'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"',
      root,
      ...argv,
    ],
    hostPath: (path) => join(root, path),
  };
}

/** @param {string} root */
function rabbitmqUnder(root) {
  const home = "/usr/lib/rabbitmq";
  if (!existsSync(join(root, home, "bin/rabbitmq-server"))) return { rabbitmqHome: null, rabbitmqPlugins: null };
  const server = readdirSync(join(root, home, "lib")).find((name) => name.startsWith("rabbitmq_server-"));
  const plugins = server ? `${home}/lib/${server}/plugins` : null;
  // Older ones are archives, in which the compiler does not look for headers.
  const areFolders = plugins !== null && readdirSync(join(root, plugins)).every((name) => !name.endsWith(".ez"));
  return { rabbitmqHome: home, rabbitmqPlugins: areFolders ? plugins : null };
}

/**
 * @param {OtpInstallation} installation
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>} e.g. "27"
 */
async function otpReleaseOf(installation, signal) {
  const [command, ...args] = installation.wrap([
    "/usr/bin/erl",
    "-noshell",
    "-eval",
    "io:put_chars(erlang:system_info(otp_release)), halt().",
  ]);
  const { code, stdout, stderr } = await run(command, args, signalled(signal));
  if (code === 0) return stdout.trim();
  throw new Problem(
    `the Erlang VM under ${installation.root} does not start`,
    lastLines(stderr, 3) || `it ended with ${code}`,
    installation.root === "/"
      ? "/usr/bin/erl -noshell -eval 'halt().'"
      : `run the tests as root, who may mount and chroot; else rm -r ${shellWord(installation.root)}   and try again`,
  );
}

/**
 * The folder of that name in the cache, a root with these packages; built when it is not there yet (about 30 s, 300 MB).
 * @param {{ name: string, suite: string, debian: string, packages: string[] }} wanted
 * @param {AbortSignal} [signal]
 */
export async function preparedRoot(wanted, signal) {
  const { name, suite, debian } = wanted;
  const packages = wanted.packages.join(" ");
  const root = join(cacheFolder(), name);
  const mark = join(root, READY_MARK);
  const isReady = () => existsSync(mark) && readFileSync(mark, "utf8").trim() === packages;
  if (isReady()) return root;
  if (process.getuid?.() !== 0) {
    throw new Problem(
      `the root folder ${name} (${debian}) is not prepared`,
      "only root can prepare and enter it",
      "run the tests as root",
    );
  }
  if (!existsSync("/usr/bin/mmdebstrap")) {
    throw new Problem(
      "mmdebstrap is missing",
      `the root folder ${name} (${debian}) is made by it`,
      "apt-get install mmdebstrap",
    );
  }
  mkdirSync(cacheFolder(), { recursive: true });
  // Two at once would undo each other's work.
  const unlock = await fileLock(`${root}.lock`, signal);
  const building = join(cacheFolder(), `${name}.building-${process.pid}`);
  try {
    if (isReady()) return root;
    process.stderr.write(`Preparing the root folder ${name} (${debian} packages), once, about 30 s ...\n`);
    const { code, stderr } = await run(
      "mmdebstrap",
      [
        "--quiet",
        "--variant=minbase",
        `--include=${wanted.packages.join(",")}`,
        ...(await hostAptOptions()).map((line) => `--aptopt=${line}`),
        suite,
        building,
        await hostDebianMirror(),
      ],
      signalled(signal),
    );
    if (code !== 0)
      throw new Problem(
        `the root folder ${name} (${debian}) could not be prepared`,
        `mmdebstrap: ${lastLines(stderr, 3)}`,
        "check the network, and apt-get update; then try again",
      );
    copyFileSync("/etc/hosts", join(building, "etc/hosts"));
    writeFileSync(join(building, READY_MARK), `${packages}\n`);
    rmSync(root, { recursive: true, force: true });
    renameSync(building, root);
  } finally {
    rmSync(building, { recursive: true, force: true });
    await unlock();
  }
  return root;
}

/** Where this machine gets its Debian packages from: the same place serves Debian 13. */
export async function hostDebianMirror() {
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  const format = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(IDENTIFIER)";
  const listed = await outputOf("apt-get", ["indextargets", "--format", format], { help: "apt-get update" });
  for (const line of listed.split("\n")) {
    const [uri, suite, component, identifier] = line.split("|");
    if (uri && identifier === "Packages" && component === "main" && suite === codename) return uri;
  }
  throw new Problem(
    "there is no mirror to take Debian packages from",
    `apt has no source for ${codename || "this release"} main`,
    "see /etc/apt/sources.list; then apt-get update",
  );
}

/** Network settings of this machine's apt (proxy, certificates, date checks), for mmdebstrap's own apt. */
async function hostAptOptions() {
  const format = '%F "%v";%n';
  const settings = await outputOf("apt-config", ["dump", "--format", format, "Acquire"], { help: "apt-config dump" });
  return settings
    .split("\n")
    .filter((line) => /^Acquire::(https?(::|\s)|ftp::|Check-|Retries|.*Proxy)/i.test(line) && !/ "";$/.test(line));
}

/** @param {AbortSignal | undefined} signal */
const signalled = (signal) => (signal === undefined ? {} : { signal });
