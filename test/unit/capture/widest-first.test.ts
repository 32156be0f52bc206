// The queue from which the widest node comes first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GrowingNumbers } from "../../../extension/src/capture/columns/growing-numbers.js";
import { WidestFirst } from "../../../extension/src/capture/flame/widest-first.js";

test("nodes come by their totals, the largest first, whenever they were pushed", () => {
  let state = 7;
  const random = () => (state = (state * 48_271) % 2_147_483_647);
  const totals = new GrowingNumbers();
  const queue = new WidestFirst(totals);
  const waiting: number[] = [];
  for (let round = 0; round < 2000; round++) {
    const node = totals.length;
    totals.push(random() % 500);
    queue.push(node);
    waiting.push(totals.at(node));
    if (random() % 3 !== 0) continue;
    waiting.sort((a, b) => a - b);
    assert.equal(totals.at(queue.pop()), waiting.pop());
  }
  waiting.sort((a, b) => b - a);
  assert.equal(queue.size, waiting.length);
  assert.deepEqual(
    waiting.map(() => totals.at(queue.pop())),
    waiting,
  );
  assert.equal(queue.size, 0);
});
