// The part of a tree that a filter leaves, and which calls are open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLayout, problemWith, type Layout } from "../../../webviews/graph/layout.js";
import { filteredTree } from "../../../webviews/graph/tree-filter.js";
import { carriedOver, expandHeaviest, flattenTree } from "../../../webviews/graph/tree-rows.js";
import { flameOf } from "./fixtures.js";

const TREE = flameOf(`
  all
    m:a 1
      m:b 2
        m:c 30
          m:d 1
      m:e 5
    m:f 4
      m:c 6
        m:g 3
    m:h 9
`);
const namesOf = ({ data }: Layout, nodes: Iterable<number>) =>
  [...nodes].map((node) => data.functionNames[data.nodeFunction[node] ?? 0]);

test("a filter leaves what fits with its callers and callees, in order, with the shares of the whole", () => {
  const wanted = TREE.functionNames.indexOf("m:c");
  const { layout, open } = filteredTree(TREE, (index) => index === wanted);
  assert.equal(problemWith(layout.data), null);
  assert.deepEqual(namesOf(layout, layout.data.nodeFunction.keys()), "all m:a m:b m:c m:d m:f m:c m:g".split(" "));
  assert.deepEqual([...layout.data.nodeTotal], [61, 39, 33, 31, 1, 13, 9, 3]);
  assert.equal(layout.data.totalSamples, 61);
  assert.deepEqual(namesOf(layout, flattenTree(layout, open).nodes), "all m:a m:b m:c m:f m:c".split(" "));
  const none = filteredTree(TREE, () => false);
  assert.deepEqual([...none.layout.data.nodeFunction], [0]);
});

test("at first the heaviest path is open, down to the call that takes most itself", () => {
  const layout = createLayout(TREE);
  assert.deepEqual(namesOf(layout, expandHeaviest(layout)), ["all", "m:a", "m:b"]);
  const small = createLayout(flameOf("all\n  m:a 0\n    m:b 990\n      m:c 0\n    m:d 10"));
  assert.deepEqual(namesOf(small, expandHeaviest(small)), ["all", "m:a"]);
  const empty = createLayout(flameOf("all"));
  assert.deepEqual([...expandHeaviest(empty)], [0]);
});

test("with new samples the same calls are open", () => {
  const before = createLayout(TREE);
  const after = createLayout(flameOf("all\n  m:h 90\n  m:a 1\n    m:b 50\n      m:c 3"));
  const open = carriedOver(before, expandHeaviest(before), after);
  assert.deepEqual(namesOf(after, flattenTree(after, open).nodes), ["all", "m:h", "m:a", "m:b", "m:c"]);
});
