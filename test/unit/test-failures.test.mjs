import assert from "node:assert/strict";
import { test } from "node:test";
import { rustFailures, nodeFailures } from "../../scripts/test-failures.mjs";

const CARGO = `running 2 tests
test good ... ok
test inner::bad ... FAILED

failures:

---- inner::bad stdout ----

thread 'inner::bad' panicked at src/a.rs:3:5:
left: 1

---- other stdout ----
Error: "no"


failures:
    inner::bad
    other

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out
`;

const TAP = `TAP version 13
# Subtest: outer
    # Subtest: inner
    not ok 1 - issue \\#3
      ---
      duration_ms: 13.4
      location: 'a.test.mjs:2:38'
      failureType: 'testCodeFailure'
      error: |-
        one is two

        1 !== 2
      code: 'ERR_ASSERTION'
      ...
    ok 2 - fine
      ---
      duration_ms: 0.1
      ...
    1..2
not ok 1 - outer
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
ok 2 - last
1..2
`;

test("what failed Rust tests printed", () => {
  assert.deepEqual(rustFailures(CARGO), [
    "inner::bad\nthread 'inner::bad' panicked at src/a.rs:3:5:\nleft: 1",
    'other\nError: "no"',
  ]);
  assert.deepEqual(rustFailures("test good ... ok\n"), []);
});

test("output of failed tests of node, without those that only contain them", () => {
  assert.deepEqual(nodeFailures(TAP), ["issue #3\nlocation: 'a.test.mjs:2:38'\nerror: |-\n  one is two\n  1 !== 2"]);
  assert.deepEqual(nodeFailures("TAP version 13\nok 1 - a\n1..1\n"), []);
});

test("a test that is still to do is no failure", () => {
  const details = "  ---\n  failureType: 'testCodeFailure'\n  error: 'x'\n  ...\n";
  assert.deepEqual(nodeFailures(`not ok 1 - a # TODO later\n${details}not ok 2 - b # TODO\n${details}`), []);
  assert.equal(nodeFailures(`not ok 1 - a \\# TODO later\n${details}`).length, 1);
});

test("a long failure is cut", () => {
  const long = "x".repeat(10_000);
  const many = Array.from({ length: 200 }, () => "  y").join("\n");
  const [said = ""] = nodeFailures(`not ok 1 - long\n  ---\n  error: '${long}'\n${many}\n  ...\n`);
  assert.ok(said.length < 2_000, `${said.length}`);
  assert.match(said, /lines more$/);
});
