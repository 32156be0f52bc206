// What fails before the files of a group run is one failed file of the group, and a group of which nothing runs is red.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Interrupted, Problem } from "../../scripts/problem.mjs";
import { batches } from "../../scripts/test-batches.mjs";

/** @typedef {import("../../scripts/test-groups.mjs").Preparation} Preparation */

const GROUP = /** @type {const} */ ({ name: "e2e", title: "End-to-end tests", lane: "vms" });
const ran = () => Promise.resolve({ counts: { passed: 1, failed: 0 }, failures: [], output: "" });
const RUNNING = { signal: new AbortController().signal };

/**
 * @param {{files?: string[], fails?: Preparation, error?: unknown, nightly?: boolean, named?: boolean, signal?: AbortSignal, nightNeeds?: Preparation[]}} how
 */
async function planned({
  files = ["test/e2e/one.test.mjs", "test/e2e/one.night.test.mjs"],
  fails,
  error = new Problem("no network", "apt says so", "connect it"),
  nightly = false,
  named = false,
  signal = new AbortController().signal,
  nightNeeds = [],
}) {
  const prepare = (/** @type {Preparation[]} */ wanted) =>
    fails !== undefined && wanted.includes(fails) ? Promise.reject(error) : Promise.resolve();
  /** @type {import("../../scripts/test-groups.mjs").Form} */
  const form = { needs: ["otp"], files: () => files.map((file) => ({ file, run: ran })) };
  const made = batches({ ...GROUP, nightNeeds }, { form, named, nightly, prepare, signal });
  return Promise.all(made.map(({ files: found }) => found));
}

/** @param {import("../../scripts/test-batches.mjs").Planned[][]} made */
const namesOf = (made) => made.map((files) => files.map(({ file }) => file));

test("files of the day, of the night, and those that are named", async () => {
  const [day, night] = ["test/e2e/one.test.mjs", "test/e2e/one.night.test.mjs"];
  assert.deepEqual(namesOf(await planned({})), [[day]]);
  assert.deepEqual(namesOf(await planned({ nightly: true })), [[day], [night]]);
  assert.deepEqual(namesOf(await planned({ named: true })), [[day, night]]);
});

test("a preparation that fails is one failed file with its explanation", async () => {
  const [files = []] = await planned({ fails: "otp" });
  assert.deepEqual(
    files.map(({ file, group }) => [file, group]),
    [["End-to-end tests", "e2e"]],
  );
  await assert.rejects(async () => files[0]?.run(RUNNING), /no network/);
  const made = await planned({ fails: "store", nightNeeds: ["store"], nightly: true });
  assert.deepEqual(namesOf(made), [["test/e2e/one.test.mjs"], ["End-to-end tests"]]);
  await assert.rejects(async () => made[1]?.[0]?.run(RUNNING), /no network/);
});

test("an interruption ends all", async () => {
  const signal = AbortSignal.abort();
  for (const nightly of [false, true])
    await assert.rejects(planned({ fails: "otp", error: new Interrupted(), signal, nightly }), Interrupted);
});

test("a group of night files alone is red by day, and runs by night", async () => {
  const files = ["test/e2e/one.night.test.mjs"];
  const [found = []] = await planned({ files });
  await assert.rejects(
    async () => found[0]?.run(RUNNING),
    (error) => error instanceof Problem && error.fix === "npm run nightly -- --only e2e",
  );
  assert.deepEqual(namesOf(await planned({ files, nightly: true })), [[], files]);
});
