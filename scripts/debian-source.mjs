// Debian's source packages: what its programs were made from.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostDebianMirror } from "../test/vms/otp.mjs";
import { outputOf } from "./command.mjs";
import { Problem } from "./problem.mjs";

/** What unpacks them. @type {import("./system-packages.mjs").Requirement[]} */
export const SOURCE_REQUIREMENTS = [{ package: "dpkg-dev", program: "dpkg-source" }];

/**
 * The version of the source package that an installed package was made from.
 * @param {import("../test/vms/otp.mjs").OtpInstallation} otp
 * @param {string} name   of the installed package
 */
export async function sourceVersion(otp, name) {
  const [command, ...args] = otp.wrap(["/usr/bin/dpkg-query", "-W", "-f", "${source:Version}", name]);
  return (await checked(command, args, "/")).trim();
}

/**
 * Fetches and unpacks a source package with lists of our own: this machine's sources stay as they are.
 * @param {{folder: string, suite: string, name: string, version: string}} what   `folder`: exists, and takes it
 * @returns {Promise<string>} the folder of the sources
 */
export async function fetchSource({ folder, suite, name, version }) {
  const apt = join(folder, "apt");
  const unpacked = join(folder, "source");
  for (const made of [join(apt, "lists/partial"), join(apt, "cache/archives/partial"), unpacked])
    mkdirSync(made, { recursive: true });
  const mirror = (await hostDebianMirror()).replace(/\/$/, "");
  writeFileSync(
    join(apt, "sources.list"),
    `deb-src ${mirror} ${suite} main\ndeb-src ${mirror} ${suite}-updates main\n`,
  );
  const options = [
    `Dir::Etc::sourcelist=${join(apt, "sources.list")}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State::lists=${join(apt, "lists")}`,
    `Dir::Cache=${join(apt, "cache")}`,
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  await checked("apt-get", [...options, "-q", "update"], unpacked);
  await checked("apt-get", [...options, "-q", "source", `${name}=${version}`], unpacked);
  const found = readdirSync(unpacked, { withFileTypes: true }).find((entry) => entry.isDirectory())?.name;
  if (found === undefined) throw new Problem(`the source package of ${name} has no folder`, unpacked, "try again");
  return join(unpacked, found);
}

/** @param {string} command @param {string[]} args @param {string} cwd */
const checked = (command, args, cwd) =>
  outputOf(command, args, { cwd, help: "/etc/apt/sources.list names the mirror, which has the source packages, too" });
