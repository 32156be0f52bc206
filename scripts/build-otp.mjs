// Builds emulators that no Debian package has, from Debian's source package of the OTP that the
// tests use anyway, so that its libraries fit:
//   node scripts/build-otp.mjs [RELEASE ...]     (the default: 25 and 27; half an hour or more each on two cores)
//   node scripts/build-otp.mjs --interpreter [RELEASE ...]     (that alone; some minutes each)
//   node scripts/build-otp.mjs --linked [RELEASE ...]     (the JIT alone, twice; some minutes each)
//
// Into the user's cache go the interpreter of a release that has a JIT (FLAVOR=emu), stripped and
// not, the JIT with all its symbols, one that counts locks and one for debugging. For experiments
// with the linker: the JIT, and the same objects linked in the reverse order (`reversed`).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache-folder.mjs";
import { prepareOtp } from "../test/vms/otp.mjs";
import { outputOf } from "./command.mjs";
import { fetchSource, SOURCE_REQUIREMENTS, sourceVersion } from "./debian-source.mjs";
import { BUILDING, removeHalfMade } from "./half-made.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { step } from "./steps.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

/** @typedef {"25" | "27"} BuiltRelease */

/** Releases with a JIT, and the Debian suites that have their sources. @type {Record<BuiltRelease, string>} */
const SUITES = { 25: "bookworm", 27: "trixie" };
/** @type {BuiltRelease[]} */
export const BUILT_RELEASES = ["25", "27"];

/** @type {import("./system-packages.mjs").Requirement[]} */
const REQUIREMENTS = [
  { package: "gcc", program: "gcc" },
  { package: "g++", program: "g++" },
  { package: "make", program: "make" },
  { package: "perl", program: "perl" },
  { package: "binutils", program: "strip" },
  ...SOURCE_REQUIREMENTS,
];

/** The parts that the emulator alone does not need. */
const CONFIGURE = ["--without-javac", "--without-wx", "--without-odbc", "--without-ssl", "--without-termcap"];
/** Type and flavor of each build. @type {[type: string, flavor: string][]} */
const BUILDS = [
  ["opt", "emu"],
  ["opt", "jit"],
  ["lcnt", "jit"],
  ["debug", "emu"],
];
const READY_MARK = ".extrospect-ready";
/** A change of the builds makes everything anew. @param {typeof BUILDS} builds */
const contentsOf = (builds) => [...CONFIGURE, ...builds.map((build) => build.join(".")), "stripped"].join(" ");

/**
 * The folder with the emulators of a release: `beam.emu`, `beam.jit`, `beam.lcnt.jit`,
 * `beam.debug.emu`, `stripped/beam.emu` and the files that each needs beside it.
 * @param {BuiltRelease} release
 * @param {(text: string) => void} [progress]
 */
export const ensureBuiltOtp = (release, progress = () => {}) => ensureBuilds(release, BUILDS, release, progress);

/**
 * The folder with its interpreter, which is built alone, in a fraction of the time, unless all are there.
 * @param {BuiltRelease} release
 * @param {(text: string) => void} [progress]
 */
export async function ensureInterpreter(release, progress = () => {}) {
  if (await isBuilt(release, BUILDS, release)) return ensureBuiltOtp(release, progress);
  return ensureBuilds(release, INTERPRETER, interpreterFolder(release), progress);
}

/** Whether {@link ensureInterpreter} has nothing to build. @param {BuiltRelease} release */
export const hasInterpreter = async (release) =>
  (await isBuilt(release, BUILDS, release)) || isBuilt(release, INTERPRETER, interpreterFolder(release));

/** @param {BuiltRelease} release */
const interpreterFolder = (release) => `${release}-interpreter`;
/** @type {typeof BUILDS} */
const INTERPRETER = [["opt", "emu"]];

/**
 * The folder with its JIT, `beam.jit` and `stripped/beam.jit`, and in `reversed` both once more: the same objects, linked in the reverse order.
 * @param {BuiltRelease} release
 * @param {(text: string) => void} [progress]
 */
export const ensureLinked = (release, progress = () => {}) =>
  ensureBuilds(release, LINKED, `${release}-linked`, progress);

/** The one set that is linked twice. @type {typeof BUILDS} */
const LINKED = [["opt", "jit"]];
const REVERSED = "reversed";

/** Of the sources of an installed OTP. @param {BuiltRelease} release */
const otpVersion = async (release) => sourceVersion(await prepareOtp(release), "erlang-base");

/** @param {BuiltRelease} release @param {typeof BUILDS} builds @param {string} name */
async function isBuilt(release, builds, name) {
  const mark = join(cacheFolder(), "built-otp", name, READY_MARK);
  return existsSync(mark) && readFileSync(mark, "utf8") === `${await otpVersion(release)} ${contentsOf(builds)}\n`;
}

/** @param {BuiltRelease} release @param {typeof BUILDS} builds @param {string} name   of the folder @param {(text: string) => void} progress */
async function ensureBuilds(release, builds, name, progress) {
  const version = await otpVersion(release);
  const folder = join(cacheFolder(), "built-otp", name);
  removeHalfMade(dirname(folder), BUILDING);
  const wanted = `${version} ${contentsOf(builds)}\n`;
  if (await isBuilt(release, builds, name)) return folder;
  await ensureSystemPackages(REQUIREMENTS, { progress });
  const building = `${folder}.building-${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  try {
    progress(`source of erlang ${version}`);
    const source = await fetchSource({ folder: building, suite: SUITES[release], name: "erlang", version });
    await build(source, builds, progress);
    const made = join(building, "made");
    collect(join(source, "bin"), made);
    await strip(made);
    if (builds === LINKED) await relink(source, made, progress);
    writeFileSync(join(made, READY_MARK), wanted);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } finally {
    rmSync(building, { recursive: true, force: true }); // some gigabytes
  }
  return folder;
}

/** @param {string} source @param {typeof BUILDS} builds @param {(text: string) => void} progress */
async function build(source, builds, progress) {
  const environment = { ...process.env, ERL_TOP: source };
  progress("configuring");
  await checked("./configure", CONFIGURE, source, environment);
  for (const [type, flavor] of builds) {
    progress(`building type ${type}, flavor ${flavor}`);
    const goal = ["-j", `${availableParallelism()}`, "-C", "erts/emulator", type, `FLAVOR=${flavor}`];
    await checked("nice", ["-n", "19", "make", ...goal], source, environment);
  }
}

/** The folder of programs is called by the machine that they are for. @param {string} bin */
const targetOf = (bin) => readdirSync(bin, { withFileTypes: true }).find((entry) => entry.isDirectory())?.name ?? "";

/** Copies the emulators and the program that each starts. @param {string} bin @param {string} made */
function collect(bin, made) {
  const target = targetOf(bin);
  mkdirSync(made, { recursive: true });
  const isWanted = (/** @type {string} */ name) => /^(beam\.(\w+\.)?(emu|jit)|erl_child_setup(\.\w+)?)$/.test(name);
  for (const name of readdirSync(join(bin, target)).filter(isWanted)) cpSync(join(bin, target, name), join(made, name));
}

/**
 * Links the JIT once more, of the same objects in the reverse order.
 * @param {string} source @param {string} made @param {(text: string) => void} progress
 */
async function relink(source, made, progress) {
  progress("linking in the reverse order");
  const linker = join(source, "link-reversed.mjs");
  writeFileSync(linker, LINK_REVERSED, { mode: 0o755 });
  const bin = join(source, "bin");
  // Make knows the emulator by the name of its copy, too.
  for (const name of ["beam.jit", "beam.smp"]) rmSync(join(bin, targetOf(bin), name));
  await checked("make", ["-C", "erts/emulator", "opt", "FLAVOR=jit", `EMU_LD=${linker}`], source, {
    ...process.env,
    ERL_TOP: source,
  });
  const reversed = join(made, REVERSED);
  collect(bin, reversed);
  await strip(reversed);
  if (readFileSync(join(reversed, "beam.jit")).equals(readFileSync(join(made, "beam.jit"))))
    throw new Problem("both links are the same", "the linker was not used", "see relink in scripts/build-otp.mjs");
}

/** A linker that reverses the order of its objects. */
const LINK_REVERSED = `#!/usr/bin/env node
import { spawnSync } from "node:child_process";
const given = process.argv.slice(2);
const isObject = (word, at) => word.endsWith(".o") && given[at - 1] !== "-o";
const reversed = given.filter(isObject).reverse();
const words = given.map((word, at) => (isObject(word, at) ? reversed.shift() : word));
process.exitCode = spawnSync("g++", words, { stdio: "inherit" }).status ?? 1;
`;

/** @param {string} made */
async function strip(made) {
  const stripped = join(made, "stripped");
  mkdirSync(stripped);
  for (const name of ["beam.emu", "beam.jit"].filter((each) => existsSync(join(made, each))))
    await checked("strip", ["-o", join(stripped, name), join(made, name)], made);
  cpSync(join(made, "erl_child_setup"), join(stripped, "erl_child_setup"));
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} [env]
 */
const checked = (command, args, cwd, env) =>
  outputOf(command, args, {
    cwd,
    ...(env && { env }),
    help: "node scripts/build-otp.mjs builds OTP from Debian's source package",
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const kinds = { "--interpreter": ensureInterpreter, "--linked": ensureLinked };
    const kind = /** @type {keyof typeof kinds | undefined} */ (
      Object.keys(kinds).find((name) => name === process.argv[2])
    );
    const ensure = kind === undefined ? ensureBuiltOtp : kinds[kind];
    const asked = process.argv.slice(kind === undefined ? 2 : 3);
    const unknown = asked.find((release) => !BUILT_RELEASES.some((known) => known === release));
    if (unknown !== undefined)
      throw new Problem(
        `OTP ${unknown} cannot be built`,
        "it has no JIT, or its sources are not known",
        `one of: ${BUILT_RELEASES.join(", ")}`,
      );
    for (const release of BUILT_RELEASES.filter((known) => asked.length === 0 || asked.includes(known))) {
      await step(`OTP ${release}`, async (progress) => ({ outcome: await ensure(release, progress) }));
    }
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
