// The room that tests need is looked for before they begin.
import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  ensureRoom,
  FILES_FOR_TESTS,
  freeBytes,
  freeFiles,
  fullDisks,
  ROOM_FOR_TESTS,
} from "../../scripts/disk-room.mjs";
import { Problem } from "../../scripts/problem.mjs";

test("a folder that does not exist yet has the room of the one above", () => {
  const { blocks, bsize } = statfsSync(tmpdir());
  const free = freeBytes(join(tmpdir(), "not", "there", "yet"));
  assert.ok(free > 0 && free <= blocks * bsize, String(free));
  assert.ok(freeFiles(join(tmpdir(), "not", "there", "yet")) > 0);
});

test("the folder that has too little is named, with what is missing", () => {
  const rooms = new Map([
    ["/large", ROOM_FOR_TESTS],
    [tmpdir(), ROOM_FOR_TESTS - 1.5e9],
  ]);
  const free = (/** @type {string} */ folder) => rooms.get(folder) ?? 0;
  const files = (/** @type {string} */ folder) => FILES_FOR_TESTS - (folder === "/many" ? 1 : 0);
  ensureRoom(["/large"], { free, files });
  ensureRoom(["/large", tmpdir()], { free, files, needed: ROOM_FOR_TESTS / 2 });
  assert.throws(
    () => ensureRoom(["/large", "/many"], { free: () => ROOM_FOR_TESTS, files }),
    (error) => error instanceof Problem && error.why === "/many can take 99999 more; they need 100000",
  );
  assert.throws(
    () => ensureRoom(["/large", tmpdir()], { free, files }),
    (error) =>
      error instanceof Problem &&
      error.why === `${tmpdir()} has room for 2.5 GB; they need 4.0 GB` &&
      error.fix === `df -h ${tmpdir()}`,
  );
});

test("the command for a folder that does not exist yet works", () => {
  assert.throws(
    () => ensureRoom([join(tmpdir(), "not/there")], { free: () => 0 }),
    (error) => error instanceof Problem && error.fix === `df -h ${tmpdir()}`,
  );
});

test("a disk that became full is named once, with its room", () => {
  const free = (/** @type {string} */ folder) => (folder === tmpdir() ? 1e6 : folder === "/" ? 1e9 : assert.fail());
  assert.deepEqual(fullDisks(["/", tmpdir(), tmpdir(), "/unknown"], { free }), [
    `the disk is full: ${tmpdir()} has room for 0.0 GB (df -h ${tmpdir()})`,
  ]);
});
