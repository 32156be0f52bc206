// The groups of tests: the files of each, their lane and their preparations. A file whose name ends with
// `.night.test.mjs` or `.night.test.ts` runs by night only.
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { bundledFile, typescriptTests } from "./bundle-tests.mjs";
import { LONGEST_BUILD_MS } from "./patience.mjs";
import { Problem } from "./problem.mjs";
import { crateFolders, ROOT } from "./project.mjs";
import { nodeTest, rustPrograms, rustTest, testsIn } from "./run-tests.mjs";
import { sharedTests } from "./shared-tests.mjs";
import { groupOfFile } from "./test-options.mjs";

/**
 * The preparations of tests; see test-set-up.mjs.
 * @typedef {"system" | "npm" | "keptBuilds" | "leftBuilds" | "helper" | "testHelper" | "extension" | "editor" | "store" | "otp" | "rust" | "bundles"} Preparation
 *
 * @typedef {import("./run-tests.mjs").Tested} Tested
 *
 * @typedef {object} TestFile
 * @property {string} file   path from the root
 * @property {(running: import("./run-tests.mjs").Running) => Promise<Tested>} run
 *
 * @typedef {object} Form
 * @property {Preparation[]} needs
 * @property {(signal: AbortSignal) => TestFile[] | Promise<TestFile[]>} files   once that is there
 *
 * @typedef {Form & {name: string, title: string, lane: import("./test-lanes.mjs").LaneName, nightNeeds?: Preparation[], needsRoot?: boolean, quick?: Form, isNightly?: boolean, isOnlyNamed?: boolean}} TestGroup
 *   `name` is what `--only` takes; `nightNeeds`: preparations of its night files; `needsRoot`: without root its tests
 *   are skipped, though its preparations need none; `quick` is the part of it that needs
 *   neither root nor Debian; `isNightly`: of `npm run nightly` only, or when it is named; `isOnlyNamed`: when it is
 *   named only, since it takes hours
 */

/** @param {string} file */
export const isNightFile = (file) => /\.night\.test\.(mjs|ts)$/.test(file);

/** @param {string} folder @param {{longestMs?: number}} [limits] @returns {TestFile[]} */
const filesIn = (folder, limits = {}) =>
  testsIn(folder).map((file) => ({ file, run: (running) => nodeTest(file, { ...running, ...limits }) }));
/** Milliseconds for a file that runs the gate again and again. */
const HOURS_MS = 8 * 3_600_000;

/** @param {"test/unit" | "test/oracles"} folder @returns {TestFile[]} */
const typescriptIn = (folder) =>
  typescriptTests(folder).map((file) => ({ file, run: (running) => nodeTest(bundledFile(file), running) }));

/** @param {AbortSignal} signal @param {string[]} [targets] flags of cargo @returns {Promise<TestFile[]>} */
async function rustFiles(signal, targets) {
  const programs = await rustPrograms({ signal, ...(targets && { targets }) });
  return programs.map((program) => ({ file: program.file, run: (running) => rustTest(program, running) }));
}

/** @type {TestGroup[]} */
export const TEST_GROUPS = [
  {
    name: "e2e",
    title: "End-to-end tests",
    lane: "vms",
    needs: ["system", "npm", "helper", "testHelper", "extension", "otp"],
    files: () => filesIn("test/e2e"),
  },
  {
    name: "editor",
    title: "Editor tests",
    lane: "editor",
    needs: ["system", "npm", "helper", "extension", "editor", "otp"],
    files: () => filesIn("test/editor"),
  },
  {
    name: "captures",
    title: "Captures and comparisons of VMs",
    lane: "vms",
    needs: ["system", "npm", "helper", "otp"],
    files: () => filesIn("test/captures"),
  },
  {
    name: "unit",
    title: "Unit tests",
    lane: "pure",
    needs: ["system", "npm", "helper", "extension", "bundles"],
    files: unitTests,
    quick: { needs: ["npm", "bundles"], files: quickUnitTests },
  },
  {
    name: "hosts",
    title: "Other hosts",
    lane: "vms",
    needs: ["system", "npm", "helper", "extension", "bundles"],
    needsRoot: true,
    files: () => typescriptIn("test/unit").filter(({ file }) => groupOfFile(file) === "hosts"),
  },
  {
    name: "inside",
    title: "Inside a VM",
    lane: "vms",
    needs: ["system", "npm", "helper", "testHelper", "otp"],
    files: () => filesIn("test/inside"),
  },
  {
    name: "rust",
    title: "Rust tests",
    lane: "pure",
    needs: ["system", "rust"],
    files: (signal) => rustFiles(signal),
    quick: { needs: [], files: (signal) => rustFiles(signal, quickCargoTargets()) },
  },
  {
    name: "formats",
    title: "Other tools' readers and a store",
    lane: "vms",
    needs: ["system", "npm", "helper", "extension", "editor", "otp"],
    nightNeeds: ["store"],
    files: () => filesIn("test/formats"),
  },
  {
    name: "webviews",
    title: "Webview tests",
    lane: "pure",
    needs: ["system", "npm"],
    files: () => filesIn("test/webviews"),
  },
  {
    name: "oracles",
    title: "Oracles",
    lane: "vms",
    needs: ["system", "npm", "helper", "extension", "otp", "bundles", "rust"],
    files: () => typescriptIn("test/oracles"),
  },
  {
    name: "fuzz",
    title: "Fuzz targets",
    lane: "pure",
    needs: ["system", "rust"],
    files: () => filesIn("test/fuzz"),
    isNightly: true,
  },
  {
    name: "shipped",
    title: "The helper as it is shipped",
    lane: "pure",
    needs: ["system"],
    files: () => filesIn("test/shipped", { longestMs: LONGEST_BUILD_MS }),
  },
  {
    name: "machines",
    title: "Emulated machines",
    lane: "vms",
    needs: ["system", "npm", "helper", "otp"],
    files: () => filesIn("test/machines"),
    isNightly: true,
  },
  {
    name: "accuracy",
    title: "Accuracy tests",
    lane: "vms",
    needs: ["system", "npm", "helper", "otp"],
    files: () => filesIn("test/accuracy"),
  },
  {
    name: "chaos",
    title: "The gate on a disturbed machine",
    lane: "pure",
    needs: ["system", "npm"],
    files: () => filesIn("test/chaos", { longestMs: HOURS_MS }),
    isNightly: true,
    isOnlyNamed: true,
  },
  {
    name: "planted",
    title: "Planted faults",
    lane: "vms",
    needs: ["system", "npm"],
    files: () => filesIn("test/planted", { longestMs: HOURS_MS }),
    isNightly: true,
    isOnlyNamed: true,
  },
];

/** Unit tests that call Debian's compilers or git, or run the built helper, the built extension or the editor's module. */
const UNIT_TESTS_ON_DEBIAN = [
  "captures/foreign-files",
  "captures/own-gitignore",
  "commits/folder-commit",
  "compare/bad-captures",
  "compare/compare-threads",
  "compare/node-tracks",
  "gate-record",
  "helper/helper-lives",
  "outer-repository",
  "own-epmd",
  "package",
  "panels/history-for-page",
  "recording/real-helper",
  "sources/finding",
  "sources/forms",
  "targets/other-hosts",
];

/** Unit tests about processes and programs of this repository, which have a process of their own. */
const UNIT_TESTS_ALONE = [
  "kept-builds",
  "package",
  "process-watch",
  "run-tests",
  "set-up",
  "shared-tests",
  "shipped-helper",
];

/** The other files of the gate share one process for each processor, and one for those that start programs. */
function unitTests() {
  const all = [...filesIn("test/unit"), ...typescriptIn("test/unit")].filter(
    ({ file }) => groupOfFile(file) !== "hosts",
  );
  const isAlone = (/** @type {string} */ file) =>
    isNightFile(file) || UNIT_TESTS_ALONE.some((name) => file === `test/unit/${name}.test.mjs`);
  const shared = all.map(({ file }) => file).filter((file) => !isAlone(file));
  const others = shared.filter((file) => !startsPrograms(file));
  const parts = Array.from({ length: availableParallelism() }, (_, part) =>
    others.filter((_file, index) => index % availableParallelism() === part),
  );
  return [...sharedTests([shared.filter(startsPrograms), ...parts]), ...all.filter(({ file }) => isAlone(file))];
}

/**
 * Each start of a program copies the page tables of its parent: many times as long in a process that has read captures as
 * in a small one. These files start many.
 * @param {string} file   of unit tests
 */
function startsPrograms(file) {
  const text = readFileSync(join(ROOT, file), "utf8");
  return file.endsWith(".mjs")
    ? text.includes('"node:child_process"')
    : /\/(child-program|git-program|test-repository)\.[jt]s"/.test(text);
}

function quickUnitTests() {
  const all = [...filesIn("test/unit"), ...typescriptIn("test/unit")].filter(
    ({ file }) => groupOfFile(file) !== "hosts",
  );
  return without(
    all,
    UNIT_TESTS_ON_DEBIAN,
    ({ file }, name) => file.replace(/\.test\.(mjs|ts)$/, "") === `test/unit/${name}`,
  );
}

/** Test programs of Rust that sample, load eBPF programs or read Debian's emulator. */
const CARGO_PROGRAMS_ON_DEBIAN = ["kernel", "own_thread", "real_objects"];

/**
 * The named files of a group, with the preparations that they need. The list is refused where one is no test file.
 * @param {TestGroup} group
 * @param {string[]} files   paths from the root
 * @returns {Form}
 */
export function formOfFiles(group, files) {
  const namedOf = (/** @type {TestFile[]} */ all) => {
    const other = files.find((name) => !all.some(({ file }) => file === name));
    if (other !== undefined)
      throw new Problem(
        `${other} is no test file`,
        `no test of ${group.name} is called so: another file may use it`,
        "npm test -- --file PATH   with a file that the report of npm test lists",
      );
    return all.filter(({ file }) => files.includes(file));
  };
  if (group.name === "rust")
    return {
      needs: ["system", "keptBuilds"],
      files: async (signal) => namedOf(await rustFiles(signal, cargoTargets(files))),
    };
  const { needs, files: all } = group;
  const nightNeeds = files.some(isNightFile) ? (group.nightNeeds ?? []) : [];
  if (group.name !== "unit")
    return { needs: [...needs, ...nightNeeds], files: async (signal) => namedOf(await all(signal)) };
  // Each runs alone: those that share a process run together.
  const unshared = () => namedOf([...filesIn("test/unit"), ...typescriptIn("test/unit")]);
  const quick = quickUnitTests().map(({ file }) => file);
  const isQuick = files.every((file) => quick.includes(file)) && group.quick !== undefined;
  return { needs: isQuick ? (group.quick?.needs ?? needs) : needs, files: unshared };
}

/** @param {string[]} files   of Rust tests @returns {string[]} flags of cargo */
function cargoTargets(files) {
  const flags = files.map((file) => {
    const [, name] = /\/tests\/([^/]+?)(?:\.rs|\/main\.rs)$/.exec(file) ?? [];
    return name === undefined ? (file.endsWith("src/main.rs") ? ["--bins"] : ["--lib"]) : ["--test", name];
  });
  return [...new Set(flags.map((words) => words.join(" ")))].flatMap((words) => words.split(" "));
}

/** @returns {string[]} flags of cargo */
function quickCargoTargets() {
  const programs = crateFolders().flatMap((crate) => cratesTests(join(crate, "tests")));
  const chosen = without(programs, CARGO_PROGRAMS_ON_DEBIAN, (program, name) => program === name);
  return ["--lib", "--bins", ...chosen.flatMap((program) => ["--test", program])];
}

/** Names of the test programs of a crate: `NAME.rs` and `NAME/main.rs`. @param {string} folder @returns {string[]} */
function cratesTests(folder) {
  const entries = readdirIfThere(folder);
  return entries.flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith(".rs")) return [entry.name.slice(0, -3)];
    return entry.isDirectory() && readdirIfThere(join(folder, entry.name)).some(({ name }) => name === "main.rs")
      ? [entry.name]
      : [];
  });
}

/** @param {string} folder */
function readdirIfThere(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * A name that is left out but not there any more would hide that something is run or left out by mistake.
 * @template One
 * @param {One[]} all
 * @param {string[]} leftOut
 * @param {(one: One, name: string) => boolean} isCalled
 */
function without(all, leftOut, isCalled) {
  for (const name of leftOut) {
    if (!all.some((one) => isCalled(one, name)))
      throw new Error(`there is no test file ${name} to leave out: see scripts/test-groups.mjs`);
  }
  return all.filter((one) => !leftOut.some((name) => isCalled(one, name)));
}
