// How long ago something was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ageText } from "../../../extension/src/text/age.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

test("an age is in whole units, the next larger one as soon as it is full", () => {
  for (const [ageMs, text] of [
    [-5 * DAY_MS, "now"],
    [0, "now"],
    [MINUTE_MS - 1, "now"],
    [MINUTE_MS, "1 min. ago"],
    [2 * MINUTE_MS - 1, "1 min. ago"],
    [HOUR_MS - 1, "59 min. ago"],
    [HOUR_MS, "1 hr. ago"],
    [DAY_MS - 1, "23 hr. ago"],
    [DAY_MS, "1 day ago"],
    [2 * DAY_MS - 1, "1 day ago"],
    [400 * DAY_MS, "400 days ago"],
  ] as const)
    assert.equal(ageText(ageMs, "en"), text, String(ageMs));
  assert.equal(ageText(3 * DAY_MS, "de"), "vor 3 Tagen");
});
