import assert from "node:assert/strict";
import { test } from "node:test";
import { LabelledTree } from "../../../extension/src/capture/columns/labelled-tree.js";
import { NarrowNumbers } from "../../../extension/src/capture/columns/narrow-numbers.js";
import { NodeCounts } from "../../../extension/src/capture/columns/node-counts.js";
import { SparseNumbers } from "../../../extension/src/capture/columns/sparse-numbers.js";
import { SteppedNumbers } from "../../../extension/src/capture/columns/stepped-numbers.js";

/** The same numbers every time. */
function generator(): (below: number) => number {
  let state = 1;
  return (below) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % below;
}

test("numbers at some places are found again, at both ends of each word too, and after a cut", () => {
  const random = generator();
  const places = [
    0,
    1,
    30,
    31,
    32,
    63,
    64,
    200,
    4095,
    4096,
    ...Array.from({ length: 500 }, (_, at) => 5000 + at * 40 + random(39)),
  ];
  const list = new SparseNumbers();
  for (const place of places) list.push(place, place * 3);
  const check = (known: readonly number[]) => {
    for (const place of known) assert.equal(list.at(place), place * 3);
    for (let place = 0; place < 26000; place += 7) {
      assert.equal(list.countBefore(place), known.filter((each) => each < place).length);
      assert.equal(list.places.has(place), known.includes(place));
    }
  };
  check(places);
  for (const cut of [20000, 4096, 64, 31]) {
    list.cutTo(cut);
    check(places.filter((place) => place < cut));
  }
  list.push(31, 93);
  assert.equal(list.at(31), 93);
});

test("a list of runs has each number, and goes on after a cut inside a run", () => {
  const list = new SteppedNumbers();
  const plain: number[] = [];
  for (const [first, count] of [
    [0, 1],
    [1, 70],
    [5, 1],
    [6, 3],
    [2, 2],
    [0xffffff00, 40],
  ] as const) {
    // prettier-ignore
    list.pushRun(first, count);
    for (let at = 0; at < count; at++) plain.push(first + at);
  }
  const check = () => {
    assert.equal(list.length, plain.length);
    for (const [place, number] of plain.entries()) assert.equal(list.at(place), number);
  };
  check();
  for (const cut of [100, 75, 40]) {
    list.cutTo(cut);
    plain.length = cut;
    check();
  }
  list.push(7);
  plain.push(7);
  check();
});

test("numbers of 16 bits become wide for one that needs more, wherever it comes", () => {
  const one = new NarrowNumbers();
  for (let at = 0; at < 5000; at++) one.push(at);
  assert.equal(one.data.BYTES_PER_ELEMENT, 2);
  one.push(0xffff);
  assert.equal(one.data.BYTES_PER_ELEMENT, 2);
  one.set(3, 0x10000);
  one.pushAll(Uint32Array.of(9, 8, 0xffffffff, 7), 1, 4);
  assert.equal(one.data.BYTES_PER_ELEMENT, 4);
  assert.deepEqual(
    [one.length, one.at(2), one.at(3), one.at(4999), one.at(5000), one.at(5001), one.at(5002), one.at(5003)],
    [5004, 2, 0x10000, 4999, 0xffff, 8, 0xffffffff, 7],
  );
});

test("sums of a tree are those of a plain one, whole and up to nodes that keep them, before and after it was cut", () => {
  const random = generator();
  const tree = new LabelledTree();
  const parents = [-1];
  const labels = [0];
  const grow = (to: number) => {
    while (parents.length < to) {
      const parent = random(4) === 0 ? random(parents.length) : parents.length - 1;
      const label = random(70000);
      if (tree.find(parent, label) !== 0) continue;
      assert.equal(tree.add(parent, label), parents.length);
      parents.push(parent);
      labels.push(label);
    }
  };
  const check = () => {
    const size = parents.length;
    const samples = Array.from({ length: size / 2 }, () => [random(size), 1 + random(9)] as const);
    const self = NodeCounts.of(size, (take) => {
      for (const [node, count] of samples) take(node, count);
    });
    const plain = new Array<number>(size).fill(0);
    for (const [node, count] of samples) plain[node] = (plain[node] as number) + count;
    const each: number[] = [];
    self.each((node, count) => (each[node] = count));
    for (const [node, count] of plain.entries()) assert.deepEqual([self.at(node), each[node] ?? 0], [count, count]);
    for (const keeps of [() => false, (node: number) => node % 5 === 0]) {
      const totals = [...plain];
      for (let node = size - 1; node > 0; node--)
        if (!keeps(node))
          totals[parents[node] as number] = (totals[parents[node] as number] as number) + (totals[node] as number);
      const found = new Array<number>(size).fill(0);
      tree.eachTotal(self, (node, total) => {
        found[node] = total;
        return !keeps(node);
      });
      assert.deepEqual(found.slice(1), totals.slice(1));
    }
    for (let node = 1; node < size; node++)
      assert.deepEqual(
        [tree.parentOf(node), tree.find(parents[node] as number, labels[node] as number)],
        [parents[node], node],
      );
  };
  grow(3000);
  check();
  for (const cut of [1000, 64, 33]) {
    tree.cutTo(cut);
    parents.length = labels.length = cut;
    check();
    grow(cut + 500);
    check();
  }
});
