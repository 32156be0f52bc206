// Every fuzz target for a moment, by `npm run nightly`. `npm run fuzz` runs them for longer; `npm test` replays their
// findings (native-helper/crates/testing/fuzz-replay).
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildFuzzTargets, fuzz, fuzzTargets } from "../../scripts/fuzz.mjs";

const SECONDS = 3;

before(() => buildFuzzTargets());

for (const target of fuzzTargets()) {
  test(target, async (t) => {
    const { code, output, runs, cpuSeconds } = await fuzz(target, SECONDS);
    assert.equal(code, 0, output.split("\n").slice(-30).join("\n"));
    assert.ok(runs > 50, `${runs} inputs`);
    assert.ok(cpuSeconds > 0, "processor time is reported");
    t.diagnostic(`${runs} inputs, ${cpuSeconds.toFixed(1)} s of a processor`);
  });
}
