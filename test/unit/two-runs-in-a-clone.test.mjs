// Two runs in one clone prepare one after the other, and none takes from the other what its tests read.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bundleTests } from "../../scripts/bundle-tests.mjs";
import { cloneLock } from "../../scripts/clone-lock.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { putInPlace } from "../../scripts/put-in-place.mjs";

/** @param {import("node:test").TestContext} t */
function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-clone-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("jobs of one run go side by side, those of another one afterwards", async (t) => {
  const file = join(temporaryFolder(t), "below/lock");
  const [one, other] = [cloneLock(file), cloneLock(file)];
  /** @type {string[]} */
  const happened = [];
  /** @type {() => void} */
  let meet = () => {};
  const met = new Promise((/** @type {(value?: undefined) => void} */ resolve) => (meet = resolve));
  /** @type {Promise<unknown> | undefined} */
  let waiting;
  await Promise.all([
    one(async () => {
      waiting = other(async () => void happened.push("other"));
      await met;
      happened.push("first");
    }),
    one(async () => {
      meet();
      happened.push("second");
    }),
  ]);
  await waiting;
  assert.deepEqual(happened.slice().sort(), ["first", "other", "second"]);
  assert.equal(happened.at(-1), "other");
  assert.deepEqual(readdirSync(join(file, "..")), []);
});

test("a run that waits names the process that it waits for, and a job that fails holds nobody up", async (t) => {
  const file = join(temporaryFolder(t), "lock");
  const lock = cloneLock(file);
  await assert.rejects(
    lock(() => Promise.reject(new Error("not made"))),
    /not made/,
  );
  /** @type {string[]} */
  const named = [];
  const other = cloneLock(file, { onWait: (pid) => named.push(pid) });
  // As another process writes it; one that has ended is not named. No process has the second id.
  for (const pid of [process.ppid, 4194305]) {
    writeFileSync(file, String(pid));
    assert.equal(await other(() => Promise.resolve("made")), "made");
  }
  assert.deepEqual(named, [String(process.ppid)]);
});

test("a file of the same content stays, another one is replaced in one move", (t) => {
  const file = join(temporaryFolder(t), "below/program");
  assert.equal(putInPlace(file, "one", { mode: 0o755 }), true);
  const { ino, mode } = statSync(file);
  assert.equal(mode & 0o777, 0o755);
  assert.equal(putInPlace(file, "one"), false);
  assert.equal(statSync(file).ino, ino);
  assert.equal(putInPlace(file, "two"), true);
  assert.notEqual(statSync(file).ino, ino);
  assert.deepEqual(readdirSync(join(file, "..")), ["program"]);
});

test("bundling again takes no bundle away, except for those that no run uses", async () => {
  const [bundle = ""] = await bundleTests("test/oracles");
  const { ino } = statSync(join(ROOT, bundle));
  const [used, unused] = ["used", "unused"].map((name) => join(ROOT, bundle, `../${name}-${process.pid}.mjs`));
  for (const file of [used ?? "", unused ?? ""]) writeFileSync(file, "");
  const dayBefore = Date.now() / 1000 - 2 * 86_400;
  for (const file of [join(ROOT, bundle), unused ?? ""]) utimesSync(file, dayBefore, dayBefore);
  await bundleTests("test/oracles");
  assert.equal(statSync(join(ROOT, bundle)).ino, ino);
  assert.ok(statSync(used ?? ""));
  assert.equal(statSync(unused ?? "", { throwIfNoEntry: false }), undefined);
  rmSync(used ?? "");
});
