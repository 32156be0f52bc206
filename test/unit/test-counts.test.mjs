import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeCounts, rustCounts, sum } from "../../scripts/test-counts.mjs";

const RUST = `running 8 tests
test result: FAILED. 5 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
`;

test("a Rust test program reports its tests at its end, and may have none", () => {
  assert.deepEqual(rustCounts(RUST, 101), { passed: 5, failed: 2 });
  assert.deepEqual(
    rustCounts("running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", 0),
    { passed: 0, failed: 0 },
  );
});

test("a Rust test program that died without a result, or after it, has failed", () => {
  assert.deepEqual(rustCounts("running 8 tests\n", 0), { passed: 0, failed: 1 });
  assert.deepEqual(rustCounts("running 8 tests\n", 134), { passed: 0, failed: 1 });
  assert.deepEqual(rustCounts(RUST.replace("2 failed", "0 failed"), 1), { passed: 5, failed: 1 });
});

test("a file of node that ran nothing has failed, unless all of it is skipped", () => {
  assert.deepEqual(nodeCounts("", 0), { passed: 0, failed: 1 });
  assert.deepEqual(nodeCounts("TAP version 13\n# tests 3\n# pass 3\n# fail 0\n# cancelled 0\n", 1), {
    passed: 3,
    failed: 1,
  });
  const skipped = (/** @type {string} */ directive) =>
    nodeCounts(
      `TAP version 13\nok 1 - a # ${directive}\n# tests 1\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 1\n`,
      0,
    );
  assert.deepEqual(skipped("SKIP no root"), { passed: 0, failed: 0 });
  assert.deepEqual(skipped("TODO"), { passed: 0, failed: 0 });
  for (const noReason of ["SKIP", "SKIP 'only' option not set"])
    assert.deepEqual(skipped(noReason), { passed: 0, failed: 1 }, noReason);
});

test("a file of node that ends itself before its summary has failed, though a test of it was skipped", () => {
  for (const line of ["ok 1 - a # SKIP no thing here", "ok 1 - a # TODO later", "ok 1 - a"])
    assert.deepEqual(nodeCounts(`TAP version 13\n${line}\n`, 0), { passed: 0, failed: 1 }, line);
});

test("a file whose only suite is skipped has not failed: the summary does not count suites", () => {
  const tap = "TAP version 13\nok 1 - all # SKIP no root\n# tests 0\n# suites 1\n# pass 0\n# fail 0\n# skipped 0\n";
  assert.deepEqual(nodeCounts(tap, 0), { passed: 0, failed: 0 });
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
