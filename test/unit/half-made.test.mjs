// What a killed run has half made goes with the next one, and what a running one makes stays.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BUILDING, removeHalfMade } from "../../scripts/half-made.mjs";

/** No process has this id: it is more than any Linux gives. */
const ENDED = 4194305;

test("folders of ended processes go, those of running ones and all others stay", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-half-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const names = ["sid", `sid.building-${process.pid}`, `sid.building-${ENDED}`, `sid.${ENDED}`];
  for (const name of names) mkdirSync(join(folder, name, "usr/bin"), { recursive: true });
  removeHalfMade(folder, BUILDING);
  assert.deepEqual(readdirSync(folder).sort(), names.filter((name) => name !== `sid.building-${ENDED}`).sort());
  removeHalfMade(join(folder, "not/there"), BUILDING);
});
