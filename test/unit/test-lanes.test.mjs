// The order in which `npm test` runs its files, the second run of those that fail, and the figures at its end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isNightFile, TEST_GROUPS } from "../../scripts/test-groups.mjs";
import { runLanes } from "../../scripts/test-lanes.mjs";
import { repeatFailed } from "../../scripts/test-repeats.mjs";
import { laneTimes, timesTable } from "../../scripts/test-times.mjs";

const LANES = { editor: { atATime: 1 }, vms: { atATime: 1 }, pure: { atATime: 2 } };
const READY = Promise.resolve();

/** Runs files by name; each ends when the returned function is called with its name. */
function byHand() {
  /** @type {string[]} */
  const running = [];
  /** @type {Map<string, (error?: Error) => void>} */
  const ends = new Map();
  const run = (/** @type {string} */ file) => {
    running.push(file);
    return new Promise((resolve, reject) =>
      ends.set(file, (error) => (error ? reject(error) : resolve(`${file} ran`))),
    );
  };
  const end = async (/** @type {string} */ file, error = /** @type {Error | undefined} */ (undefined)) => {
    running.splice(running.indexOf(file), 1);
    ends.get(file)?.(error);
    await new Promise(setImmediate);
  };
  return { run, end, running };
}

test("a lane runs so many files at a time, in the order of its batches; lanes run beside each other", async () => {
  const { run, end, running } = byHand();
  const batch = (/** @type {"editor" | "vms" | "pure"} */ lane, /** @type {string[]} */ ...names) => ({
    lane,
    files: READY.then(() => names),
  });
  const all = runLanes(
    [batch("vms", "v1", "v2"), batch("pure", "p1"), batch("editor", "e1"), batch("pure", "p2", "p3")],
    LANES,
    run,
  );
  await new Promise(setImmediate);
  assert.deepEqual(running.toSorted(), ["e1", "p1", "p2", "v1"]);
  await end("p1");
  assert.deepEqual(running.toSorted(), ["e1", "p2", "p3", "v1"]);
  await end("v1");
  for (const name of ["v2", "e1", "p2", "p3"]) await end(name);
  assert.deepEqual(await all, ["v1 ran", "v2 ran", "p1 ran", "e1 ran", "p2 ran", "p3 ran"]);
});

test("once all files of another lane have run, a lane runs one more at a time", async () => {
  const { run, end, running } = byHand();
  const lanes = { ...LANES, vms: { atATime: 1, oneMoreAfter: /** @type {const} */ ("editor") } };
  const all = runLanes(
    [
      { lane: "editor", files: READY.then(() => ["e1", "e2"]) },
      { lane: "vms", files: READY.then(() => ["v1", "v2", "v3"]) },
    ],
    lanes,
    run,
  );
  await new Promise(setImmediate);
  await end("e1");
  assert.deepEqual(running.toSorted(), ["e2", "v1"]);
  await end("e2");
  assert.deepEqual(running.toSorted(), ["v1", "v2"]);
  for (const name of ["v1", "v2", "v3"]) await end(name);
  assert.equal((await all).length, 5);
});

test("a batch that is ready begins while another one is still prepared", async () => {
  const { run, end, running } = byHand();
  /** @type {(names: string[]) => void} */
  let compiled = () => {};
  const late = new Promise((/** @type {(names: string[]) => void} */ resolve) => (compiled = resolve));
  const all = runLanes(
    [
      { lane: "pure", files: late },
      { lane: "pure", files: READY.then(() => ["early"]) },
    ],
    LANES,
    run,
  );
  await new Promise(setImmediate);
  assert.deepEqual(running, ["early"]);
  compiled(["late"]);
  await new Promise(setImmediate);
  assert.deepEqual(running, ["early", "late"]);
  await end("early");
  await end("late");
  assert.deepEqual(await all, ["late ran", "early ran"]);
});

test("an error of a preparation or of a run is the error of all", async () => {
  const { run, end } = byHand();
  await assert.rejects(
    runLanes([{ lane: "pure", files: Promise.reject(new Error("no compiler")) }], LANES, run),
    /no compiler/,
  );
  const all = runLanes([{ lane: "pure", files: READY.then(() => ["one"]) }], LANES, run);
  await new Promise(setImmediate);
  const rejected = assert.rejects(all, /stopped/);
  await end("one", new Error("stopped"));
  await rejected;
});

test("a failed file runs once more; one that passes then is unstable, and its last run counts", async () => {
  const result = (/** @type {string} */ file, /** @type {number} */ failed) => ({
    file,
    counts: { passed: 1, failed },
  });
  const results = [result("good", 0), result("by chance", 1), result("broken", 2)];
  /** @type {string[]} */
  const repeated = [];
  const { last, unstable } = await repeatFailed(results, async ({ file }) => {
    repeated.push(file);
    return result(file, file === "broken" ? 1 : 0);
  });
  assert.deepEqual(repeated, ["by chance", "broken"]);
  assert.deepEqual(last, [result("good", 0), result("by chance", 0), result("broken", 1)]);
  assert.deepEqual(unstable, [{ first: result("by chance", 1), second: result("by chance", 0) }]);
});

test("repeats begin within their time only: what is left then has failed", async () => {
  const failed = ["a", "b", "c"].map((file) => ({ file, counts: { passed: 0, failed: 1 } }));
  let now = 0;
  const { last, unstable } = await repeatFailed(
    failed,
    async ({ file }) => {
      now += 60;
      return { file, counts: { passed: 1, failed: 0 } };
    },
    { beginWithinMs: 100, nowMs: () => now },
  );
  assert.deepEqual(
    last.map(({ counts }) => counts.failed),
    [0, 0, 1],
  );
  assert.equal(unstable.length, 2);
});

const TIMES = Array.from({ length: 12 }, (_, at) => ({
  group: at < 6 ? "e2e" : "unit",
  lane: at < 6 ? "vms" : "pure",
  file: `test/${at}.test.mjs`,
  seconds: 20 - at,
  cpuSeconds: at,
  counts: { passed: 3, failed: at === 0 ? 1 : 0 },
}));

test("the end names the ten slowest files, and the sums of groups and lanes", () => {
  const table = timesTable(TIMES).join("\n");
  assert.match(table, /^ +20\.0 +0\.0 {2}test\/0\.test\.mjs\n +19\.0 +1\.0 {2}test\/1/m);
  assert.match(table, /test\/9\.test/);
  assert.doesNotMatch(table, /test\/10\.test/);
  assert.match(table, /^ +105\.0 +15\.0 {2}e2e: 6 files, 18 passed, 1 failed$/m);
  assert.match(table, /^ +69\.0 +51\.0 {2}lane pure$/m);
  const shared = timesTable([...TIMES, { ...(TIMES[0] ?? assert.fail()), file: "test/s.test.mjs", ownSeconds: 20 }]);
  assert.match(shared.join("\n"), /^ +20\.0 +shared {2}test\/s\.test\.mjs$/m);
  assert.deepEqual(laneTimes(TIMES)["vms"], { seconds: 105, cpuSeconds: 15 });
});

test("night files are known by their names, and each group has a lane", () => {
  assert.ok(isNightFile("test/e2e/a.night.test.mjs") && isNightFile("test/unit/b.night.test.ts"));
  assert.ok(!isNightFile("test/unit/nightly.test.mjs"));
  for (const { name, lane } of TEST_GROUPS) assert.ok(Object.keys(LANES).includes(lane), name);
});
