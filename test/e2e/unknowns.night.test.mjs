// In each state in which a part of the truth cannot be known, each command prints, and each view shows, a sentence about
// it, or needs nothing that the state takes away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "../unknowns/cells.mjs";
import { rowsOf } from "../unknowns/look.mjs";
import { STATES } from "../unknowns/states.mjs";
import { VIEW_NAMES } from "../unknowns/view-cells.mjs";

for (const state of STATES)
  test(state.title, async (t) => {
    const rows = await rowsOf(state);
    if (rows.length === 0) return t.skip("this machine has no such control groups");
    assert.equal(rows.length, Object.keys(COMMANDS).length + VIEW_NAMES.length);
  });
