// The files that cargo compiled in one clone, for the next clone: it compiles only the differences.
//
// Cargo compares the times of sources with those of its output, and a clone has times of its own everywhere. So a kept
// build has the hash and the time of each source beside it: a source of the same text gets that time back, any other one
// the present time, since it may have been written before the other clone compiled its own text. Compiled files
// name no folder of the clone (`withoutFolders`, test/unit/kept-builds.test.mjs), so that they may lie in any. Cargo
// knows a crate that includes a file of another folder by that folder's whole path: such a crate is not kept.
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { cargo, cargoEnvironment } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { freeBytes, gigabytes, ROOM_FOR_TESTS } from "./disk-room.mjs";
import { removeHalfMade } from "./half-made.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";

const SOURCES_FILE = "sources.json";
const TARGET_FOLDER = "target";
/** `target.PID` beside the folder of cargo. */
const HALF_TAKEN = /^target\.(\d+)$/;
/** `KIND.PID` and `KIND.PID.old` */
const HALF_KEPT = /^[0-9a-f]{16}\.(\d+)(\.old)?$/;
/** Of the way in which builds are kept: those of the first one may be compiled of other sources than they list. */
const KEPT_FORM = "2";
/** Of compilers, lists of crates or options: more than are in use at a time. */
const KEPT_KINDS = 2;
/** Larger than its saving: the data that cargo needs to compile half a crate. */
const NOT_KEPT = "incremental";
/** Of cargo: the sources that a crate was compiled of. A crate without it is compiled anew. */
const IS_LIST_OF_SOURCES = /\.fingerprint\/[^/]+\/dep-[^/]+$/;

/**
 * @typedef {Record<string, {hash: string, timeMs: number}>} Sources   by path from the root
 *
 * @typedef {object} Place
 * @property {string} root        of the clone
 * @property {string} target      the folder that cargo fills
 * @property {string} keptIn      folder of the user's cache
 */

/** @returns {Place} */
export function thisClone() {
  return { root: ROOT, target: join(HELPER_WORKSPACE, "target"), keptIn: join(cacheFolder(), "builds") };
}

/**
 * Fills the folder of cargo with the files of another clone, unless cargo worked there already.
 * @param {Place} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<{outcome: string, mayKeep: boolean}>}
 *   `mayKeep`: the folder has nothing except the files that this clone compiles from now on
 */
export async function takeKeptBuilds({ root, target, keptIn }, signal) {
  removeHalfMade(dirname(target), HALF_TAKEN);
  removeHalfMade(keptIn, HALF_KEPT);
  if (existsSync(target)) return { outcome: "this clone has its own", mayKeep: false };
  const sources = await sourcesOf(root, signal);
  if (sources === undefined) return { outcome: "none are taken: git does not list the sources", mayKeep: false };
  const folder = join(keptIn, await kindOfBuild(root, signal));
  // Half of it in its place would be this clone's own from then on.
  const taken = `${target}.${process.pid}`;
  try {
    const { ino } = statSync(folder);
    await copy(folder, taken, signal);
    // Another clone may replace it at this moment; the half of each is worth nothing.
    if (statSync(folder).ino !== ino) throw new Error(`${folder} was replaced`);
    /** @type {Sources} */
    const known = JSON.parse(readFileSync(join(taken, SOURCES_FILE), "utf8"));
    if (isOfLater(taken)) return { outcome: "none are taken: they are of a later time than it is now", mayKeep: true };
    const compiledOf = notDiffering(sources, known);
    const now = Date.now();
    for (const path of Object.keys(sources))
      setTime(join(root, path), compiledOf.has(path) ? (known[path]?.timeMs ?? 0) : now);
    // Last: a run that was killed before compiles all.
    renameSync(join(taken, TARGET_FOLDER), target);
    const differing = Object.keys({ ...known, ...sources }).filter((path) => known[path]?.hash !== sources[path]?.hash);
    return { outcome: `taken over: ${differing.length} files differ`, mayKeep: true };
  } catch {
    return { outcome: "none are kept", mayKeep: true };
  } finally {
    rmSync(taken, { recursive: true, force: true });
  }
}

/**
 * Where a file came or went, its neighbours may mean another one by the same name.
 * @param {Sources} sources @param {Sources} known   of the kept build
 * @returns {Set<string>} the sources that cargo may take for those of the kept build
 */
function notDiffering(sources, known) {
  const inBoth = Object.keys(sources).filter((path) => known[path] !== undefined);
  const folders = new Set(inBoth.map((path) => dirname(path)));
  const changed = Object.keys({ ...known, ...sources })
    .filter((path) => known[path] === undefined || sources[path] === undefined)
    .map((path) => {
      let folder = dirname(path);
      while (!folders.has(folder) && folder !== ".") folder = dirname(folder);
      return folder;
    });
  return new Set(
    inBoth.filter((path) => known[path]?.hash === sources[path]?.hash && !changed.includes(dirname(path))),
  );
}

/** Whether a file of it is later than this machine's clock: each text would count as older. @param {string} folder */
function isOfLater(folder) {
  const now = Date.now();
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).some(
    (name) => (lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) > now,
  );
}

/**
 * Keeps the files that cargo compiled in this clone.
 * @param {Place} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<{outcome: string}>} it needs gigabytes: without that room nothing is kept, and all else goes on
 */
export async function keepBuilds({ root, target, keptIn }, signal) {
  removeHalfMade(keptIn, HALF_KEPT);
  const kind = await kindOfBuild(root, signal);
  const sources = await sourcesOf(root, signal);
  const folder = join(keptIn, kind);
  const fresh = `${folder}.${process.pid}`;
  const old = `${fresh}.old`;
  try {
    if (sources === undefined) throw new Error("git does not list the sources");
    const [size, free] = [await bytesOf(target, signal), freeBytes(keptIn)];
    // Tests come after it.
    if (free < size + ROOM_FOR_TESTS)
      throw new Error(`they have ${gigabytes(size)}, and the disk has room for ${gigabytes(free)}`);
    mkdirSync(fresh, { recursive: true });
    await copy(target, join(fresh, TARGET_FOLDER), signal);
    for (const name of readdirSync(join(fresh, TARGET_FOLDER), { recursive: true, encoding: "utf8" })) {
      const path = join(fresh, TARGET_FOLDER, name);
      if (basename(name) === NOT_KEPT) rmSync(path, { recursive: true, force: true });
      else if (IS_LIST_OF_SOURCES.test(name) && existsSync(path) && readFileSync(path).includes(`${root}/`))
        rmSync(dirname(path), { recursive: true, force: true });
    }
    writeFileSync(join(fresh, SOURCES_FILE), JSON.stringify(sources));
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
  } catch (error) {
    return { outcome: `not kept: ${error instanceof Error ? lastLines(error.message, 1) : String(error)}` };
  } finally {
    for (const gone of [fresh, old]) rmSync(gone, { recursive: true, force: true });
  }
  forgetOthers(keptIn, kind);
  return { outcome: "kept for the next clone" };
}

/**
 * The inputs that make cargo compile much anew: another compiler, other third-party crates, other options.
 * @param {string} root @param {AbortSignal} [signal]
 */
async function kindOfBuild(root, signal) {
  const { stdout } = await run("rustc", ["-vV"], { cwd: root, env: cargoEnvironment(), ...(signal && { signal }) });
  const hash = createHash("sha256").update(`${KEPT_FORM}\0${stdout}\0${cargo()}\0${process.env["CARGO_HOME"] ?? ""}\0`);
  const textOf = (/** @type {string} */ file) => readFileSync(join(root, "native-helper", file), "utf8");
  // The dependencies of the workspace's own crates change often, and are compiled anew by themselves.
  const cratesOfOthers = textOf("Cargo.lock")
    .split("[[package]]")
    .filter((one) => /^source = /m.test(one));
  // Nor is it much where one crate is optimised in another way.
  const profiles = textOf("Cargo.toml")
    .split(/^(?=\[)/m)
    .filter((table) => table.startsWith("[profile") && !/^\[profile\.[^.]+\.package\.(?!"\*"\])/.test(table));
  for (const part of [...cratesOfOthers, ...profiles, textOf(".cargo/config.toml")]) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** Untracked ones, too, except those that the repository itself excludes: not a user, who may hide a source. */
const LIST_FILES = ["ls-files", "-z", "--cached", "--others", "--exclude-per-directory=.gitignore"];

/**
 * All files that git finds: tests of crates read files outside of the crates, too.
 * @param {string} root @param {AbortSignal} [signal]
 * @returns {Promise<Sources | undefined>} nothing where git does not list them: in no repository, or in another user's
 */
async function sourcesOf(root, signal) {
  const listing = run("git", LIST_FILES, { cwd: root, ...(signal && { signal }) });
  const { code, stdout } = await listing.catch((error) => {
    if (signal?.aborted) throw error;
    return { code: 1, stdout: "" };
  });
  if (code !== 0) return undefined;
  /** @type {Sources} */
  const sources = {};
  for (const path of stdout.split("\0").filter((name) => name !== "")) {
    const file = join(root, path);
    const stat = statSync(file, { throwIfNoEntry: false });
    // Whole milliseconds, rounded down: never later than the files made from it.
    if (stat?.isFile())
      sources[path] = {
        hash: createHash("sha256").update(readFileSync(file)).digest("hex"),
        timeMs: Math.floor(stat.mtimeMs),
      };
  }
  return sources;
}

/** @param {string} file @param {number} timeMs */
function setTime(file, timeMs) {
  utimesSync(file, timeMs / 1000, timeMs / 1000);
}

/** The space of a folder on its disk. @param {string} folder @param {AbortSignal} [signal] */
async function bytesOf(folder, signal) {
  const { code, stdout, stderr } = await run("du", ["-sk", folder], {
    cwd: dirname(folder),
    ...(signal && { signal }),
  });
  if (code !== 0) throw new Error(stderr);
  return Number.parseInt(stdout, 10) * 1024;
}

/** With all times, and without more room where the file system can. @param {string} from @param {string} to @param {AbortSignal} [signal] */
async function copy(from, to, signal) {
  mkdirSync(dirname(to), { recursive: true });
  const { code, stderr } = await run("cp", ["-a", "--reflink=auto", from, to], {
    cwd: dirname(to),
    ...(signal && { signal }),
  });
  if (code !== 0) throw new Error(stderr);
}

/** @param {string} keptIn @param {string} kind   stays, and is the one used last */
function forgetOthers(keptIn, kind) {
  const lastUse = (/** @type {string} */ name) =>
    statSync(join(keptIn, name, SOURCES_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const others = readdirSync(keptIn).filter((name) => name !== kind && /^[0-9a-f]{16}$/.test(name));
  others.sort((a, b) => lastUse(b) - lastUse(a));
  for (const name of others.slice(KEPT_KINDS - 1)) rmSync(join(keptIn, name), { recursive: true, force: true });
}
