// The helper as it is shipped, built once for the same sources, since it takes minutes of a processor. By it `npm test`
// shows that main can be packaged, and `npm run build` and `npm run package` take the program that is kept.
//
// All clones compile it in one folder of the user's cache, from a copy of the sources. A copied file whose text stays
// keeps its time, so that cargo compiles only the differences between clones. The program is the same as if it were
// compiled in the clone: test/shipped/reproducible.night.
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { cargoEnvironment } from "./cargo.mjs";
import { run } from "./command.mjs";
import { compile } from "./compile-helper.mjs";
import { shippedHelperFault } from "./elf-check.mjs";
import { fileLock } from "./file-lock.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { folderFault } from "./reproducible.mjs";

/** Of sources: the last ones, of branches that someone goes back to among them. */
const KEPT_PROGRAMS = 8;
/** Decide how cargo is called, beside the sources. */
const SCRIPTS = ["scripts/cargo.mjs", "scripts/compile-helper.mjs", "scripts/reproducible.mjs"];
/** Files of the workspace of which no part is compiled into the program. Cargo needs some of them to be there. */
const NOT_COMPILED = [
  /^fuzz\//,
  /^crates\/[^/]+\/[^/]+\/(tests|examples|benches|fixtures)\//,
  // Modules of tests, which are compiled for tests only: test/unit/shipped-helper.test.mjs.
  /\/tests\.rs$/,
  /\/src\/(.+\/)?tests\//,
  /^(clippy|rustfmt)\.toml$/,
  /^pinned-crates\.json$/,
];

/**
 * @typedef {object} Shipped
 * @property {Buffer} program
 * @property {boolean} wasThere   these sources were built before
 */

/**
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined, root?: string, folder?: string, compileIn?: typeof compile}} [options]
 * @returns {Promise<Shipped>}
 * @throws {Problem} it does not build, is too large or does not run everywhere: nothing is kept of that
 */
export async function shippedHelper({
  signal,
  progress,
  root = ROOT,
  folder = join(cacheFolder(), "shipped"),
  compileIn = compile,
} = {}) {
  const sources = await sourcesOf(join(root, "native-helper"), signal);
  // Not a clone, but an unpacked archive, say.
  if (sources === null) {
    const program = await compileIn({ signal, progress });
    return { program: checked(program), wasThere: false };
  }
  const tools = await toolsOf(signal);
  const hash = hashOf(root, sources, tools);
  const known = keptProgram(folder, hash);
  if (known !== null) return { program: checked(known), wasThere: true };

  progress?.("waits until another build ends");
  mkdirSync(folder, { recursive: true });
  // One build at a time.
  const unlock = await fileLock(join(folder, "lock"), signal);
  try {
    // Another clone may have built it by now.
    const other = keptProgram(folder, hash);
    if (other !== null) return { program: checked(other), wasThere: true };
    const workspace = join(folder, "native-helper");
    forgetOtherTools(folder, workspace, tools);
    copySources(join(root, "native-helper"), workspace, sources);
    const program = checked(await compileIn({ signal, progress, workspace }));
    // An edit during the wait or the build may be in the program: later sources would be taken for those of the hash.
    const sourcesNow = await sourcesOf(join(root, "native-helper"), signal);
    if (sourcesNow !== null && hashOf(root, sourcesNow, tools) === hash) keepProgram(folder, hash, program);
    return { program, wasThere: false };
  } finally {
    await unlock();
  }
}

/**
 * The hash of all that the program depends on.
 * @param {string} root
 * @param {string[]} sources   paths from the workspace
 * @param {string} tools
 */
export function hashOf(root, sources, tools) {
  const hash = createHash("sha256").update(`${tools}\0`);
  const files = [...sources.filter(isCompiled).map((path) => `native-helper/${path}`), ...SCRIPTS];
  for (const path of files) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}

/** @param {string} path   from the workspace */
const isCompiled = (path) => !NOT_COMPILED.some((pattern) => pattern.test(path));

/**
 * The files that git knows or would take: cargo compiles a new source before git knows it.
 * @param {string} workspace @param {AbortSignal} [signal]
 * @returns {Promise<string[] | null>} sorted paths from the workspace; null outside of a clone
 */
export async function sourcesOf(workspace, signal) {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "."];
  const { code, stdout } = await run("git", args, { cwd: workspace, ...(signal && { signal }) });
  if (code !== 0) return null;
  const paths = new Set(stdout.split("\0").filter((path) => path !== ""));
  return [...paths].filter((path) => lstatSync(join(workspace, path), { throwIfNoEntry: false })?.isFile()).sort();
}

/**
 * The compiler, the linker's driver and the C library that is linked in. Cargo would not notice that the latter two changed.
 * @param {AbortSignal} [signal]
 */
async function toolsOf(signal) {
  const options = { cwd: HELPER_WORKSPACE, env: cargoEnvironment(), ...(signal && { signal }) };
  const answers = [];
  for (const [command, ...args] of /** @type {const} */ ([
    ["rustc", "-vV"],
    ["cc", "--version"],
    ["cc", "-print-file-name=libc.a"],
  ]))
    answers.push((await run(command, [...args], options)).stdout.trim());
  const library = answers.pop() ?? "";
  const hash = createHash("sha256");
  if (existsSync(library)) hash.update(readFileSync(library));
  return `${answers.join("\n")}\n${hash.digest("hex")}\n`;
}

/** @param {Buffer} program */
function checked(program) {
  const fault = shippedHelperFault(program) ?? folderFault(program);
  if (fault !== null)
    throw new Problem(
      "the helper cannot be shipped as it is",
      fault,
      "see scripts/elf-check.mjs and native-helper/.cargo/config.toml",
    );
  return program;
}

/** @param {string} folder @param {string} hash @returns {Buffer | null} null: not there, or not whole */
function keptProgram(folder, hash) {
  const [file, record] = placesOf(folder, hash);
  try {
    const program = readFileSync(file);
    const { sha256 } = JSON.parse(readFileSync(record, "utf8"));
    if (sha256 !== sumOf(program)) return null;
    utimesSync(record, new Date(), new Date());
    return program;
  } catch {
    return null;
  }
}

/** @param {string} folder @param {string} hash @param {Buffer} program */
function keepProgram(folder, hash, program) {
  const [file, record] = placesOf(folder, hash);
  try {
    mkdirSync(dirname(file), { recursive: true });
    for (const [place, content] of /** @type {const} */ ([
      [file, program],
      [record, JSON.stringify({ sha256: sumOf(program), bytes: program.length })],
    ])) {
      writeFileSync(`${place}.${process.pid}`, content);
      renameSync(`${place}.${process.pid}`, place);
    }
    forgetOthers(dirname(file));
  } catch {
    // No room, say: it is built again the next time.
  }
}

/** @param {string} folder @param {string} hash @returns {[program: string, record: string]} */
const placesOf = (folder, hash) => [join(folder, "built", hash), join(folder, "built", `${hash}.json`)];

/** @param {Buffer} program */
const sumOf = (program) => createHash("sha256").update(program).digest("hex");

/** @param {string} built */
function forgetOthers(built) {
  const lastUse = (/** @type {string} */ name) => statSync(join(built, name)).mtimeMs;
  const records = readdirSync(built).filter((name) => name.endsWith(".json"));
  records.sort((a, b) => lastUse(b) - lastUse(a));
  const kept = new Set(records.slice(0, KEPT_PROGRAMS).flatMap((name) => [name, name.replace(".json", "")]));
  for (const name of readdirSync(built)) if (!kept.has(name)) rmSync(join(built, name), { force: true });
}

/**
 * Cargo does not link anew for another C library, and keeps the crates that another compiler made.
 * @param {string} folder @param {string} workspace @param {string} tools
 */
function forgetOtherTools(folder, workspace, tools) {
  const file = join(folder, "tools");
  if (existsSync(file) && readFileSync(file, "utf8") === tools) return;
  rmSync(join(workspace, "target"), { recursive: true, force: true });
  writeFileSync(file, tools);
}

/**
 * Makes the copy equal to the sources; a file with the same text is not touched.
 * @param {string} from @param {string} to @param {string[]} sources
 */
function copySources(from, to, sources) {
  const wanted = new Set(sources);
  for (const path of filesBelow(to, "")) if (!wanted.has(path)) removeWithEmptied(to, path);
  for (const path of sources) {
    const text = readFileSync(join(from, path));
    const place = join(to, path);
    if (existsSync(place) && readFileSync(place).equals(text)) continue;
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
}

/** A folder that is left without files would be a crate without a manifest to cargo. @param {string} root @param {string} path */
function removeWithEmptied(root, path) {
  rmSync(join(root, path));
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    if (readdirSync(join(root, folder)).length > 0) return;
    rmdirSync(join(root, folder));
  }
}

/** @param {string} root @param {string} below @returns {string[]} paths from the root, without those that cargo makes */
function filesBelow(root, below) {
  const folder = join(root, below);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (path === "target") return [];
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}
