// Kernels of Debian's releases, from their packages, kept in the user's cache.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../../scripts/cache-folder.mjs";
import { hostDebianMirror } from "./otp.mjs";

const execFileAsync = promisify(execFile);
const READY_MARK = ".extrospect-ready";

/**
 * @typedef {"bullseye" | "bookworm" | "trixie" | "sid"} KernelSuite
 *
 * @typedef {object} PreparedKernel
 * @property {string} image     the file that is started
 * @property {string} modules   folder
 * @property {string} version   such as 6.1
 */

/**
 * @param {KernelSuite} [suite]   of Debian; this machine's own when absent
 * @returns {Promise<PreparedKernel>}
 */
export async function preparedKernel(suite) {
  const folder = join(cacheFolder(), suite === undefined ? "guest-kernel" : `guest-kernel-${suite}`);
  const mark = join(folder, READY_MARK);
  if (!existsSync(mark)) {
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    try {
      const name = await unpackKernel(fresh, suite === undefined ? [] : await listsOf(suite, fresh));
      imageIn(fresh);
      rmSync(join(fresh, "apt"), { recursive: true, force: true });
      writeFileSync(join(fresh, READY_MARK), name);
      rmSync(folder, { recursive: true, force: true });
      renameSync(fresh, folder);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  const modules =
    ["lib/modules", "usr/lib/modules"].map((name) => join(folder, name)).find((path) => existsSync(path)) ?? "";
  return {
    image: imageIn(folder),
    modules,
    version: /linux-image-(\d+\.\d+)/.exec(readFileSync(mark, "utf8"))?.[1] ?? "of an unknown version",
  };
}

/** In `boot`, or beside its modules as from Linux 7 on. @param {string} folder */
function imageIn(folder) {
  const places = ["boot", "usr/lib/modules"].map((name) => join(folder, name)).filter((path) => existsSync(path));
  const images = places.flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: "utf8" }).flatMap((name) =>
      basename(name).startsWith("vmlinuz") ? [join(place, name)] : [],
    ),
  );
  if (images[0] === undefined) throw new Error(`no kernel in ${folder}`);
  return images[0];
}

/** @param {string} fresh @param {string[]} lists   options of apt @returns {Promise<string>} the package */
async function unpackKernel(fresh, lists) {
  const dependsOf = async (/** @type {string} */ name) =>
    (await execFileAsync("apt-cache", [...lists, "depends", name])).stdout;
  const name = /Depends: (linux-image-\S+)/.exec(await dependsOf("linux-image-amd64"))?.[1];
  if (name === undefined) throw new Error("the package lists name no kernel: run apt-get update");
  // From Linux 7 on the kernel itself and its modules have packages of their own.
  const parts = [...(await dependsOf(name)).matchAll(/Depends: (linux-(?:binary|modules)-\d\S*)/g)].map(
    ([, part = ""]) => part,
  );
  await execFileAsync("apt-get", [...lists, "download", name, ...parts], { cwd: fresh });
  for (const file of readdirSync(fresh).filter((each) => each.endsWith(".deb"))) {
    await execFileAsync("dpkg", ["--extract", file, "."], { cwd: fresh });
    rmSync(join(fresh, file));
  }
  return name;
}

/** Package lists of another release, beside this machine's. @param {KernelSuite} suite @param {string} folder */
async function listsOf(suite, folder) {
  const apt = join(folder, "apt");
  for (const name of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(apt, name), { recursive: true });
  writeFileSync(join(apt, "sources.list"), `deb ${await hostDebianMirror()} ${suite} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${join(apt, "sources.list")}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State::lists=${join(apt, "lists")}`,
    `Dir::Cache=${join(apt, "cache")}`,
  ];
  const words = [...options, "APT::Sandbox::User=root", "Acquire::Languages=none"].flatMap((option) => ["-o", option]);
  await execFileAsync("apt-get", [...words, "-q", "update"], { maxBuffer: 16 << 20 });
  return words;
}
