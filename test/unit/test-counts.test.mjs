import assert from "node:assert/strict";
import { test } from "node:test";
import { cargoCounts, nodeCounts, sum } from "../../scripts/test-counts.mjs";

const CARGO = `     Running unittests src/lib.rs (target/debug/deps/capture-0a)
     Running tests/damage.rs (target/debug/deps/damage-0b)
   Doc-tests capture

running 3 tests
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;

test("cargo's results are summed", () => {
  assert.deepEqual(cargoCounts(CARGO, 101), { passed: 8, failed: 2 });
});

test("a Rust test program that died without a result is a failure", () => {
  const died = CARGO.replace(/^test result: ok\. 3.*\n/m, "");
  assert.deepEqual(cargoCounts(died, 101), { passed: 5, failed: 3 });
});

test("a runner that did not build, or ran nothing, is a failure", () => {
  assert.deepEqual(cargoCounts("error: could not compile `capture`\n", 101), { passed: 0, failed: 1 });
  assert.deepEqual(cargoCounts("", 0), { passed: 0, failed: 1 });
  assert.deepEqual(nodeCounts("", 0), { passed: 0, failed: 1 });
  assert.deepEqual(nodeCounts("TAP version 13\n# tests 3\n# pass 3\n# fail 0\n# cancelled 0\n", 1), { passed: 3, failed: 1 });
});

test("node's summary is the last one, cancelled tests failed", () => {
  const tap = "# pass 99\nok 1 - a\n1..4\n# tests 4\n# pass 2\n# fail 1\n# cancelled 1\n# skipped 0\n";
  assert.deepEqual(nodeCounts(tap, 1), { passed: 2, failed: 2 });
});

test("all runners are summed", () => {
  assert.deepEqual(
    sum([
      { passed: 1, failed: 0 },
      { passed: 2, failed: 3 },
    ]),
    { passed: 3, failed: 3 },
  );
});
