// The order in which `npm test` runs its files, and the durations that it writes down.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { TEST_GROUPS } from "../../scripts/test-groups.mjs";
import { IdleProcessors } from "../../scripts/idle-processors.mjs";
import { nextFile, runQueue } from "../../scripts/test-queue.mjs";
import { timesTable, writeTimes } from "../../scripts/test-times.mjs";
import { readWeights, weightOf, withMeasured } from "../../scripts/test-weights.mjs";

/** @param {string} name @param {number} seconds @param {{cpu?: number, exclusive?: string[], ready?: Promise<unknown>}} [more] */
const file = (name, seconds, { cpu = 1, exclusive = [], ready = READY } = {}) => ({
  name,
  weight: { cpu, seconds, exclusive },
  ready,
});
const READY = Promise.resolve();

test("the longest file begins first, and no more at a time than the processors bear", async () => {
  const files = [file("short", 1), file("long", 9), file("middle", 5), file("light", 2, { cpu: 0.2 })];
  /** @type {string[]} */
  const began = [];
  let [running, most] = [0, 0];
  const results = await runQueue(files, { cpu: 2 }, async ({ name, weight }) => {
    began.push(name);
    running += weight.cpu;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5 * weight.seconds));
    running -= weight.cpu;
    return name.toUpperCase();
  });
  assert.deepEqual(began.slice(0, 2), ["long", "middle"]);
  assert.ok(most <= 2, `${most} at once`);
  assert.deepEqual(results, ["SHORT", "LONG", "MIDDLE", "LIGHT"], "in the order of the files");
});

test("files that need the same for themselves never run at once; others go before them", () => {
  const [guard, accounts, other] = [
    file("guard", 9, { exclusive: ["accounts"] }),
    file("accounts", 8, { exclusive: ["accounts", "x"] }),
    file("other", 1),
  ];
  assert.equal(nextFile([accounts, other], [guard], { cpu: 9 }), other);
  assert.equal(nextFile([accounts], [guard], { cpu: 9 }), undefined);
  assert.equal(nextFile([accounts, other], [], { cpu: 9 }), accounts);
});

test("a heavy file is not passed over by light ones, and runs alone where it is heavier than the machine", () => {
  const [heavy, light, running] = [file("heavy", 9, { cpu: 2 }), file("light", 1), file("running", 5)];
  assert.equal(nextFile([light, heavy], [{ ...running, begunS: 0 }], { cpu: 2 }, 5), undefined);
  assert.equal(nextFile([light, heavy], [], { cpu: 1 }), heavy);
});

test("light files go before a heavy one as long as they have ended when it can begin", () => {
  const [heavy, running] = [
    file("heavy", 9, { cpu: 2 }),
    { weight: { cpu: 1, seconds: 5, exclusive: [] }, begunS: 100 },
  ];
  const [short, shorter, long] = [file("short", 3), file("shorter", 2), file("long", 6)];
  assert.equal(nextFile([heavy, long, shorter, short], [running], { cpu: 2 }, 101), short);
  assert.equal(nextFile([heavy, long, shorter, short], [running], { cpu: 2 }, 103), shorter);
  assert.equal(nextFile([heavy, long, shorter, short], [running], { cpu: 2 }, 109), undefined, "the heavy one is next");
});

test("where processors are idle more files begin, and never more than are borne", async () => {
  const [light, heavy, running] = [file("light", 9, { cpu: 0.3 }), file("heavy", 9), file("running", 5)];
  const idle = (/** @type {number} */ processors) => ({ cpu: 1, files: 2, idle: () => processors });
  assert.equal(nextFile([light], [running], idle(0.4)), light);
  assert.equal(nextFile([heavy], [running], idle(0.4)), undefined);
  assert.equal(nextFile([light], [running, running], idle(1)), undefined);

  // Nothing ends: a file begins because the queue looks again by itself.
  let [idleNow, both] = [0, () => {}];
  const began = new Promise((/** @type {(value?: unknown) => void} */ resolve) => (both = resolve));
  /** @type {string[]} */
  const names = [];
  await runQueue([file("a", 2), file("b", 1)], { cpu: 1, files: 2, idle: () => idleNow }, async ({ name }) => {
    names.push(name);
    if (names.length === 2) both();
    idleNow = 1;
    await began;
  });
  assert.deepEqual(names, ["a", "b"]);
});

test("idle processors are those of the last seconds, and are not known at once", () => {
  let now = { atMs: 0, idleMs: 500 };
  const processors = new IdleProcessors(() => now);
  const mean = (/** @type {number} */ atMs, /** @type {number} */ idleMs) => {
    now = { atMs, idleMs };
    return processors.mean();
  };
  assert.equal(mean(0, 500), 0);
  assert.equal(mean(1_000, 2_500), 0);
  assert.equal(mean(4_000, 6_500), 1.5);
  assert.equal(mean(8_000, 6_500), 0.75);
  assert.equal(mean(14_000, 6_500), 0, "the busy time alone");
  now = { atMs: 14_500, idleMs: 7_500 };
  processors.restart();
  assert.equal(mean(15_000, 8_500), 0);
  assert.equal(mean(19_000, 16_500), 2);
});

test("a file whose set-up is not there yet holds nobody up", async () => {
  /** @type {(value?: unknown) => void} */
  let settle = () => {};
  const late = file("late", 100, { ready: new Promise((resolve) => (settle = resolve)) });
  /** @type {string[]} */
  const ended = [];
  await runQueue([late, file("a", 1), file("b", 2)], { cpu: 1 }, async ({ name }) => {
    ended.push(name);
    if (name === "a") settle();
  });
  assert.deepEqual(ended, ["b", "a", "late"]);
});

test("an error ends the queue, one of the set-up as well", async () => {
  /** @type {string[]} */
  const began = [];
  const failing = runQueue([file("a", 3), file("b", 2), file("c", 1)], { cpu: 1 }, async ({ name }) => {
    began.push(name);
    if (name === "b") throw new Error("interrupted");
  });
  await assert.rejects(failing, /interrupted/);
  assert.deepEqual(began, ["a", "b"]);
  const unready = file("a", 1, { ready: Promise.reject(new Error("no VM")) });
  await assert.rejects(
    runQueue([unready], { cpu: 1 }, async () => {}),
    /no VM/,
  );
  assert.deepEqual(await runQueue([], { cpu: 1 }, async () => {}), []);
});

const MEASURED = [
  { group: "e2e", file: "test/e2e/a.test.mjs", seconds: 40.4, cpuSeconds: 4 },
  { group: "e2e", file: "test/e2e/b.test.mjs", seconds: 10, cpuSeconds: 90 },
  { group: "e2e", file: "test/e2e/died.test.mjs", seconds: 5, cpuSeconds: null },
  { group: "unit", file: "test/unit/c.test.mjs", seconds: 0.2, cpuSeconds: 0.1 },
];

test("weights are taken over from a run; what is exclusive stays, and a file without an entry has a default", () => {
  const before = {
    groups: { unit: { seconds: 2 } },
    files: {
      "test/e2e/a.test.mjs": { cpu: 2, seconds: 1, exclusive: ["accounts"] },
      "test/e2e/gone.test.mjs": { seconds: 9 },
    },
  };
  const weights = withMeasured(before, MEASURED);
  assert.deepEqual(weights, {
    groups: { unit: { seconds: 2 } },
    files: {
      "test/e2e/a.test.mjs": { cpu: 0.3, seconds: 40, exclusive: ["accounts"] },
      "test/e2e/b.test.mjs": { cpu: 2, seconds: 10 },
      "test/e2e/died.test.mjs": { cpu: 1, seconds: 5 },
    },
  });
  assert.deepEqual(weightOf(weights, "unit", "test/unit/new.test.mjs"), { cpu: 1, seconds: 2, exclusive: [] });
  assert.deepEqual(weightOf(weights, "e2e", "test/e2e/new.test.mjs"), { cpu: 1, seconds: 20, exclusive: [] });
  const browsers = {
    ...weights,
    groups: { editor: { leastCpu: 0.7 } },
    files: { "test/editor/a.test.mjs": { cpu: 0.3, seconds: 9 }, "test/editor/b.test.mjs": { cpu: 1.6, seconds: 9 } },
  };
  assert.deepEqual(
    ["a", "b"].map((name) => weightOf(browsers, "editor", `test/editor/${name}.test.mjs`)),
    [
      { cpu: 0.7, seconds: 9, exclusive: [] },
      { cpu: 1.6, seconds: 9, exclusive: [] },
    ],
  );
});

test("weights name groups and files that there are", () => {
  const { groups, files } = readWeights();
  const names = TEST_GROUPS.map(({ name }) => name);
  assert.deepEqual(
    Object.keys(groups).filter((name) => !names.includes(name)),
    [],
  );
  const tests = new Set(
    ["test", "native-helper/crates"].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
    ),
  );
  assert.deepEqual(
    Object.keys(files).filter((path) => !tests.has(path)),
    [],
  );
  for (const entry of [...Object.values(groups), ...Object.values(files)])
    assert.ok((entry.cpu ?? 1) > 0 && (entry.seconds ?? 1) > 0, JSON.stringify(entry));
});

test("what a run took is printed by file and by group, and written for programs", (t) => {
  const files = MEASURED.map((one) => ({
    ...one,
    beganSeconds: 1,
    counts: { passed: 3, failed: one.cpuSeconds === null ? 1 : 0 },
  }));
  const table = timesTable(files).join("\n");
  assert.match(table, /^ +40\.4 +4\.0 {2}test\/e2e\/a\.test\.mjs\n +10\.0 +90\.0 {2}test\/e2e\/b/m);
  assert.match(table, /^ +5\.0 +\? {2}test\/e2e\/died/m);
  assert.match(table, /^ +55\.4 +94\.0 {2}e2e: 3 files, 9 passed, 1 failed$/m);
  assert.doesNotMatch(table, /unit\/c/);
  const folder = mkdtempSync(join(tmpdir(), "extrospect-times-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "below/times.json");
  writeTimes(files, { seconds: 60, cpuSeconds: 100 }, path);
  const written = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual(written.files, files);
  assert.equal(written.cpuSeconds, 100);
});
