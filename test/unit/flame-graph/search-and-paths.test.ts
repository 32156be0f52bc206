import assert from "node:assert/strict";
import { test } from "node:test";
import { createLayout } from "../../../webviews/graph/layout.js";
import { anchorSpan, findPath, pathOf, resolveSpan } from "../../../webviews/graph/path-match.js";
import { compileQuery, marksOf, nextMatch, search } from "../../../webviews/graph/search.js";
import { expandTo, flattenTree, rowOf, treeRow } from "../../../webviews/graph/tree-rows.js";
import { flameOf, SMALL } from "./fixtures.js";

function searched(query: string) {
  const compiled = compileQuery(query);
  assert.ok(compiled && "pattern" in compiled);
  return search(SMALL, compiled.pattern);
}

test("matched samples count a recursive stack once", () => {
  assert.deepEqual({ ...searched("run"), matches: null }, { matches: null, matchedFunctions: 1, matchedSamples: 25 });
  assert.equal(searched("copy|ets").matchedSamples, 11);
  assert.equal(searched("^all$").matchedSamples, 0, "the root is not a match");
  assert.equal(searched("COPY").matchedFunctions, 0, "a capital letter makes case count");
  assert.equal(searched("co\\Sy").matchedFunctions, 1, "the capital of an escape does not");
});

test("queries that are nothing or no expression", () => {
  assert.equal(compileQuery("  "), null);
  assert.ok("error" in (compileQuery("(") ?? {}));
});

test("matches are walked both ways and around", () => {
  const matches = marksOf(SMALL, searched("run"));
  assert.equal(nextMatch(SMALL, matches, 0, 1), 1);
  assert.equal(nextMatch(SMALL, matches, 1, 1), 4);
  assert.equal(nextMatch(SMALL, matches, 4, 1), 1);
  assert.equal(nextMatch(SMALL, matches, 1, -1), 4);
  assert.equal(nextMatch(SMALL, new Uint8Array(matches.length), 0, 1), -1);
});

const GROWN = flameOf(`
  all
    idle 60 3
    m:run/1 4
      ets:insert/2 30 1
      m:new/0 9
      m:work/2 10
        m:run/1 8
        copy_struct 6 3
`);

test("nodes are found again by their path when order and counts changed", () => {
  const layout = createLayout(GROWN);
  for (let node = 0; node < SMALL.nodeFunction.length; node++) {
    const match = findPath(layout, pathOf(SMALL, node));
    assert.ok(match.whole);
    assert.deepEqual(pathOf(GROWN, match.node), pathOf(SMALL, node));
  }
  const gone = findPath(createLayout(SMALL), ["m:run/1", "m:new/0", "x"]);
  assert.deepEqual(gone, { node: 1, whole: false });
});

test("a zoom stays on the same code", () => {
  const before = createLayout(SMALL);
  const after = createLayout(GROWN);
  const anchor = anchorSpan(before, { left: 0, right: 18 });
  assert.deepEqual(anchor.path, ["m:run/1", "m:work/2"]);
  const span = resolveSpan(after, anchor);
  const node = findPath(after, anchor.path).node;
  assert.equal(span.left, GROWN.nodeStart[node]);
  assert.equal(span.right - span.left, GROWN.nodeTotal[node]);
  const half = resolveSpan(after, anchorSpan(before, { left: 0, right: 9 }));
  assert.equal(half.right - half.left, (GROWN.nodeTotal[node] ?? 0) / 2);
});

test("tree rows know level, place among siblings and what is open", () => {
  const layout = createLayout(SMALL);
  const open = new Set([0]);
  assert.deepEqual([...flattenTree(layout, open).nodes], [0, 1, 6]);
  expandTo(layout, open, 4);
  const rows = flattenTree(layout, open);
  assert.deepEqual([...rows.nodes], [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(treeRow(layout, rows, 6, open), {
    node: 6,
    level: 2,
    position: 2,
    siblings: 2,
    expandable: false,
    expanded: false,
  });
  assert.deepEqual(treeRow(layout, rows, 5, open), {
    node: 5,
    level: 3,
    position: 2,
    siblings: 2,
    expandable: false,
    expanded: false,
  });
  open.delete(1);
  assert.equal(rowOf(flattenTree(layout, open), 4), -1);
  assert.equal(rowOf(flattenTree(layout, open), 6), 2);
});
