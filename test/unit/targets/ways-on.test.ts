import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGLISH } from "../../../contract/english.js";
import { waysOn } from "../../../extension/src/targets/ways-on.js";
import type { HelperProblem } from "../../../extension/src/helper/helper-error.js";

test("a list of VMs that could not be made has rows that lead on", () => {
  const titles = (problem: HelperProblem | undefined) => waysOn(problem, ENGLISH).map(({ title }) => title);
  assert.deepEqual(titles(undefined), ["Try Again", "Show Log"]);
  assert.deepEqual(titles("missing"), ["Try Again", "Open Settings", "Show Log"]);
  // The refresh button starts no helper that has ended too often.
  assert.deepEqual(titles("tooManyRestarts"), ["Restart Helper", "Show Log"]);
  assert.deepEqual(titles("refused"), ["Try Again", "Check Permissions and Setup", "Show Log"]);
  const settings = waysOn("notRunnable", ENGLISH).find(({ title }) => title === "Open Settings");
  assert.equal(settings?.argument, "extrospect.helper.path");
});
