// A change of one condition on the page leaves the others in the setting as they were.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST_CONDITION, MOST_CONDITIONS } from "../../../contract/messages/compare.js";
import { plainText } from "../../../contract/plain-text.js";
import { keptConditions } from "../../../extension/src/panels/compare/kept-conditions.js";

test("what the page has cut stays whole, and what it does not have stays", () => {
  const long = `shop:${"t".repeat(LONGEST_CONDITION)}/1.slower>2%`;
  const shown = plainText(long, LONGEST_CONDITION);
  assert.notEqual(shown, long);
  assert.deepEqual(keptConditions([shown, "slower>3%"], [long, "slower>2%"]), [long, "slower>3%"]);
  const many = Array.from({ length: MOST_CONDITIONS + 2 }, (_, at) => `slower>${String(at)}%`);
  const changed = ["faster>1%", ...many.slice(1, MOST_CONDITIONS)];
  assert.deepEqual(keptConditions(changed, many), ["faster>1%", ...many.slice(1)]);
  assert.deepEqual(keptConditions([], ["slower>2%"]), []);
});
