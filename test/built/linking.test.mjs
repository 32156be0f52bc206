// Two links of one emulator: each C function that takes time is compared with itself, with a name and without one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../e2e/helper.mjs";
import { linkingExperiment, RELEASE } from "./linking-experiment.mjs";

/** Of a round's time: a smaller function may have samples on one side by chance. */
const LEAST_SHARE = 0.01;

for (const stripped of [false, true]) {
  test(`OTP ${RELEASE}, ${stripped ? "stripped" : "with symbols"}: C functions of another link order have their partners`, async (t) => {
    const { comparison } = await linkingExperiment({ stripped, folder: temporaryFolder(t), pairs: 2, seconds: 5 });
    assert.equal(comparison.measure, "work");
    assert.ok(comparison.whole.base > 0 && comparison.whole.new > 0);
    const large = comparison.functions.filter(
      (/** @type {any} */ { group, self }) =>
        group === "runtime" && Math.max(self.base, self.new) > LEAST_SHARE * comparison.whole.base,
    );
    assert.ok(large.length > 5, `${large.length} C functions`);
    const alone = large.filter((/** @type {any} */ row) => row.matched_by === null);
    assert.deepEqual(
      alone.map((/** @type {any} */ row) => row.function),
      [],
    );
    for (const { function: name, self } of large)
      t.diagnostic(`${name}: ${self.base.toFixed(1)} to ${self.new.toFixed(1)} us, ${self.verdict}`);
  });
}
