// The groups of tests that `npm test` runs, and what each of them needs first.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundleTests } from "./bundle-tests.mjs";
import { buildFuzzTargets } from "./fuzz.mjs";
import { HELPER_WORKSPACE } from "./project.mjs";
import { cargoTests, nodeTests, testsIn } from "./run-tests.mjs";

/**
 * What is made before tests; see test-set-up.mjs.
 * @typedef {"system" | "npm" | "helper" | "testHelper" | "extension" | "editor" | "store" | "otp" | "rust"} Preparation
 *
 * @typedef {import("./run-tests.mjs").Running} Running
 * @typedef {import("./run-tests.mjs").Tested} Tested
 *
 * @typedef {object} TestGroup
 * @property {string} name        what `--only` takes
 * @property {string} title
 * @property {Preparation[]} needs
 * @property {(running: Running) => Promise<Tested>} run
 * @property {{needs: Preparation[], run: (running: Running) => Promise<Tested>}} [quick]
 *   the part of it that needs neither root nor Debian
 */

/** One file at a time: each of them drives a browser, or VMs with two schedulers. */
const ONE_FILE = ["--test-concurrency=1"];

/** In the order in which they begin: the long ones first, so that the last ones to end are short. @type {TestGroup[]} */
export const TEST_GROUPS = [
  {
    name: "e2e",
    title: "End-to-end tests",
    needs: ["system", "npm", "helper", "testHelper", "extension", "otp"],
    run: (running) => nodeTests(running, testsIn("test/e2e"), ONE_FILE),
  },
  {
    name: "editor",
    title: "Editor tests",
    needs: ["system", "npm", "helper", "extension", "editor"],
    run: (running) => nodeTests(running, testsIn("test/editor"), ONE_FILE),
  },
  {
    name: "captures",
    title: "Captures and comparisons of VMs",
    needs: ["system", "npm", "helper", "otp"],
    run: (running) => nodeTests(running, testsIn("test/captures"), ONE_FILE),
  },
  {
    name: "unit",
    title: "Unit tests",
    needs: ["system", "npm", "helper", "extension"],
    run: async (running) => nodeTests(running, [...testsIn("test/unit"), ...(await bundleTests("test/unit"))]),
    quick: { needs: ["npm"], run: async (running) => nodeTests(running, await quickUnitTests()) },
  },
  {
    name: "inside",
    title: "Inside a VM",
    needs: ["system", "npm", "helper", "testHelper", "otp"],
    run: (running) => nodeTests(running, testsIn("test/inside"), ONE_FILE),
  },
  {
    name: "rust",
    title: "Rust tests",
    needs: ["system", "rust"],
    run: (running) => cargoTests(running),
    quick: { needs: [], run: (running) => cargoTests(running, quickCargoTests()) },
  },
  {
    name: "formats",
    title: "Other tools' readers and a store",
    needs: ["system", "npm", "helper", "extension", "editor", "store", "otp"],
    run: (running) => nodeTests(running, testsIn("test/formats"), ONE_FILE),
  },
  {
    name: "webviews",
    title: "Webview tests",
    needs: ["system", "npm"],
    run: (running) => nodeTests(running, testsIn("test/webviews"), ONE_FILE),
  },
  {
    name: "oracles",
    title: "Oracles",
    needs: ["system", "npm", "helper", "otp"],
    run: async (running) => nodeTests(running, await bundleTests("test/oracles"), ONE_FILE),
  },
  {
    name: "fuzz",
    title: "Fuzz targets",
    needs: ["system", "rust"],
    run: async (running) => {
      await buildFuzzTargets(running.signal);
      return nodeTests(running, testsIn("test/fuzz"), ONE_FILE);
    },
  },
  {
    name: "accuracy",
    title: "Accuracy tests",
    needs: ["system", "npm", "helper", "otp"],
    run: (running) => nodeTests(running, testsIn("test/accuracy"), ONE_FILE),
  },
];

/** Unit tests that ask Debian's compilers or git, run the built helper on a VM, or the built module of the editor. */
const UNIT_TESTS_ON_DEBIAN = ["captures/own-gitignore", "commits/folder-commit", "compare/bad-captures", "package", "recording/real-helper", "sources/finding", "sources/forms"];

async function quickUnitTests() {
  const all = [...testsIn("test/unit"), ...(await bundleTests("test/unit"))];
  return without(all, UNIT_TESTS_ON_DEBIAN, (file, name) => file.endsWith(`/${name}.test.mjs`));
}

/** Test programs of Rust that sample, load eBPF programs or read Debian's emulator. */
const CARGO_PROGRAMS_ON_DEBIAN = ["kernel", "own_thread", "real_objects"];
/** The same of tests inside the crates, by name. @type {string[]} */
const CARGO_TESTS_ON_DEBIAN = [];

/** @returns {{targets: string[], skipped: string[]}} */
function quickCargoTests() {
  const crates = join(HELPER_WORKSPACE, "crates");
  const programs = readdirSync(crates).flatMap((crate) => cratesTests(join(crates, crate, "tests")));
  const chosen = without(programs, CARGO_PROGRAMS_ON_DEBIAN, (program, name) => program === name);
  return { targets: ["--lib", "--bins", ...chosen.flatMap((program) => ["--test", program])], skipped: CARGO_TESTS_ON_DEBIAN };
}

/** Names of the test programs of a crate: `NAME.rs` and `NAME/main.rs`. @param {string} folder @returns {string[]} */
function cratesTests(folder) {
  const entries = readdirIfThere(folder);
  return entries.flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith(".rs")) return [entry.name.slice(0, -3)];
    return entry.isDirectory() && readdirIfThere(join(folder, entry.name)).some(({ name }) => name === "main.rs") ? [entry.name] : [];
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
 * @param {string[]} all
 * @param {string[]} leftOut
 * @param {(one: string, name: string) => boolean} isCalled
 */
function without(all, leftOut, isCalled) {
  for (const name of leftOut) {
    if (!all.some((one) => isCalled(one, name))) throw new Error(`there is no test file ${name} to leave out: see scripts/test-groups.mjs`);
  }
  return all.filter((one) => !leftOut.some((name) => isCalled(one, name)));
}
