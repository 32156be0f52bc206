// Data that tests make once and share.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { cached, hashOf } from "../cached.mjs";

/** @type {string} */
let all;
beforeEach(() => (all = mkdtempSync(join(tmpdir(), "extrospect-cached-"))));
afterEach(() => rmSync(all, { recursive: true, force: true }));

/** @param {string} text */
const making = (text) => async (/** @type {string} */ folder) => {
  mkdirSync(folder);
  // Others request it during the work.
  await new Promise((resolve) => setTimeout(resolve, 0));
  writeFileSync(join(folder, "made"), text);
};

test("it is made once, be it wanted by several at once, and again when it was half made", async () => {
  const folder = join(all, "below/key");
  let times = 0;
  const make = async (/** @type {string} */ place) => {
    times += 1;
    await making("whole")(place);
  };
  await Promise.all([cached(folder, make), cached(folder, make), cached(folder, make)]);
  assert.equal(times, 1);
  rmSync(join(folder, ".extrospect-ready"));
  assert.equal(await cached(folder, make), folder);
  assert.equal(times, 2);
  assert.equal(readFileSync(join(folder, "made"), "utf8"), "whole");
  assert.deepEqual(readdirSync(join(all, "below")), ["key"], "no lock is left");
});

test("a failed entry is reported, and made by the next process", async () => {
  const folder = join(all, "key");
  await assert.rejects(
    cached(folder, async (place) => {
      mkdirSync(place);
      throw new Error("no compiler");
    }),
    /no compiler/,
  );
  await cached(folder, making("whole"));
  assert.ok(existsSync(join(folder, "made")));
});

test("a lock without an owner delays no process", async () => {
  // The kernel has ended the lock; the file stays.
  writeFileSync(join(all, "key.lock"), "");
  await cached(join(all, "key"), making("whole"));
  assert.ok(existsSync(join(all, "key/made")));
});

test("what was not used for days goes when something new is made", async () => {
  for (const key of ["old", "used"]) await cached(join(all, key), making(key));
  const days = new Date(Date.now() - 3 * 86_400_000);
  for (const key of ["old", "used"]) utimesSync(join(all, key, ".extrospect-ready"), days, days);
  await cached(join(all, "used"), making("again"));
  await cached(join(all, "new"), making("new"));
  assert.deepEqual(readdirSync(all).sort(), ["new", "used"]);
  assert.equal(readFileSync(join(all, "used/made"), "utf8"), "used");
});

test("the name depends on every part and on where each ends", () => {
  const names = [["ab", "c"], ["a", "bc"], ["abc"], ["ab", "c", ""]].map(hashOf);
  assert.equal(new Set(names).size, names.length);
  assert.equal(hashOf(["é"]), hashOf([Buffer.from("é")]));
});
