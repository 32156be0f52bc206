// Faults of the product that are planted on purpose: the gate finds them. Each patch of this folder is applied to one
// clone of the last commit, in which `npm test` runs the files that are expected to find it; where they do not, all of their
// groups, and at last `npm run nightly`; a test that is red without the fault, too, finds nothing. EXTROSPECT_PLANTED_WHOLE runs the whole gate for each; EXTROSPECT_PLANTED_ONLY
// has names of faults, with commas between them. docs/testing.md gets the table.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { onEndingSignal } from "../../scripts/ending-signals.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { groupOfFile } from "../../scripts/test-options.mjs";
import { must } from "../must.mjs";
import { failedTests, foundBy, keyOf, plantedFaults, Unspoiled, wordsOf } from "./patches.mjs";
import { withRows } from "./table.mjs";

const IS_WHOLE = process.env["EXTROSPECT_PLANTED_WHOLE"] !== undefined;
/** Faults that the gate may leave to the night. */
const MOST_MISSED = 2;
/** Fails whenever a patch is applied already. */
const OF_THE_PATCHES = "test/unit/planted.test.mjs";
const PAGE = join(ROOT, "docs/testing.md");
/** For a step of a test that waits: without a fault, all take seconds. */
const WAIT_SECONDS = "240";
const ONLY = process.env["EXTROSPECT_PLANTED_ONLY"]?.split(",");
const ALL_FAULTS = plantedFaults();
const FAULTS = ALL_FAULTS.filter(({ name }) => ONLY === undefined || ONLY.some((one) => name.startsWith(one)));

const folder = mkdtempSync(join(tmpdir(), "extrospect-planted-"));
const clone = join(folder, "clone");
/** @type {import("./table.mjs").Row[]} */
const rows = [];
const unspoiled = new Unspoiled();
/** @type {AbortController} */
const ending = new AbortController();
onEndingSignal(() => ending.abort());

before(() => void must("git", "clone", "--quiet", ROOT, clone));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  const names = ALL_FAULTS.map(({ name }) => name);
  if (rows.length > 0) writeFileSync(PAGE, withRows(readFileSync(PAGE, "utf8"), rows, names));
});

/** @param {import("./patches.mjs").PlantedFault[]} faults @returns {string[]} */
const filesOf = (faults) => faults.flatMap((fault) => fault.foundBy);
/** @param {import("./patches.mjs").PlantedFault[]} faults @returns {string[]} words of `npm test` */
const groupsOf = (faults) => ["--only", ...new Set(filesOf(faults).map(groupOfFile))];

/**
 * Runs tests of the clone.
 * @type {import("./patches.mjs").Run}
 */
async function run(command, words) {
  // The clone is one of its own: nothing of this run is meant for it.
  const {
    EXTROSPECT_NIGHTLY: _night,
    EXTROSPECT_TESTS_ARE_SET_UP: _ready,
    NODE_TEST_CONTEXT: _test,
    ...env
  } = process.env;
  const args = ["scripts/test.mjs", ...(command === "npm test" ? [] : ["--nightly"]), ...words];
  const child = spawn(process.execPath, args, {
    cwd: clone,
    // A wait that a fault makes endless ends long before its file would be.
    env: { EXTROSPECT_PATIENCE_SECONDS: WAIT_SECONDS, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    signal: ending.signal,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
  const failed = failedTests(output).filter(({ file }) => file !== OF_THE_PATCHES);
  // Else a fault that does not compile would look like one that no test finds.
  if (code !== 0 && failed.length === 0) assert.fail(`${command} did not come to its tests:\n${output.slice(-4000)}`);
  return code === 0 ? [] : failed;
}

test("without a fault nothing fails", async () => {
  const files = filesOf(FAULTS);
  const failed = await run("npm test", IS_WHOLE ? [] : wordsOf(files));
  unspoiled.add("npm test", files, failed);
  assert.deepEqual(failed.map(keyOf), []);
});

for (const fault of FAULTS) {
  test(`${fault.name}: ${fault.fault}`, async (t) => {
    const plant = () => must("git", "-C", clone, "apply", join(ROOT, fault.patch));
    const remove = () => must("git", "-C", clone, "checkout", "--quiet", ".");
    plant();
    try {
      const [expected, groups] = [wordsOf(fault.foundBy), groupsOf([fault])];
      /** @type {[import("./patches.mjs").Command, string[]][]} */
      const byDay = IS_WHOLE
        ? [["npm test", []]]
        : [
            ["npm test", expected],
            ["npm test", groups],
          ];
      const { command, tests } = await foundBy(
        [...byDay, ["npm run nightly", IS_WHOLE ? [] : groups]],
        {
          withFault: run,
          without: async (command, words) => {
            remove();
            try {
              return await run(command, words);
            } finally {
              plant();
            }
          },
        },
        unspoiled,
      );
      const by = command === undefined ? "nothing" : command === "npm test" ? "gate" : "night";
      rows.push({ fault, by, tests: expectedFirst(tests, fault.foundBy) });
      t.diagnostic(`found by ${by}: ${tests.map(keyOf).join("; ")}`);
      assert.notEqual(by, "nothing", "no test finds it");
    } finally {
      remove();
    }
  });
}

test(`the gate finds all but ${MOST_MISSED} at most`, () => {
  const missed = rows.filter(({ by }) => by !== "gate").map(({ fault }) => fault.name);
  assert.ok(missed.length <= MOST_MISSED, missed.join(", "));
});

/** @param {{file: string, test: string}[]} tests @param {string[]} expected */
function expectedFirst(tests, expected) {
  const isExpected = (/** @type {{file: string}} */ { file }) =>
    expected.some((path) => file === path || file.startsWith(`${path}/`));
  return [...tests.filter(isExpected), ...tests.filter((one) => !isExpected(one))];
}
