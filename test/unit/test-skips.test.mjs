// Tests that prove nothing are named with their reasons.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeSkips, rustSkips } from "../../scripts/test-skips.mjs";

const TAP = `TAP version 13
ok 1 - plain # SKIP
ok 2 - why \\# hash # SKIP no root \\# here
not ok 3 - broken # TODO later
  ---
  failureType: 'testCodeFailure'
  ...
ok 4 - works # TODO
# Subtest: suite
    ok 1 - within # SKIP inside
not ok 5 - suite
ok 6 - real \\# SKIP name
`;

test("skipped tests of node, and those that are still to do", () => {
  assert.deepEqual(nodeSkips(TAP), [
    "plain: no reason is given",
    "why # hash: no root # here",
    "broken: to do, and fails: later",
    "works: to do",
    "within: inside",
  ]);
  assert.deepEqual(nodeSkips("TAP version 13\nok 1 - a\n1..1\n"), []);
});

test("ignored tests of Rust", () => {
  const output = "test good ... ok\ntest a::b ... ignored\ntest c - should panic ... ignored, needs a kernel\n";
  assert.deepEqual(rustSkips(output), ["a::b: no reason is given", "c: needs a kernel"]);
});
