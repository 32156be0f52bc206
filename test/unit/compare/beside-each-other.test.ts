// The same work several times beside each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { besideEachOther, eachBesideOthers } from "../../../extension/src/comparison/beside-each-other.js";

/** Ends when it is aborted. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });

test("the first failure ends the others, and is thrown once they have ended", async () => {
  let [begun, ended] = [0, 0];
  const work = async (signal: AbortSignal) => {
    begun += 1;
    if (begun === 3) throw new Error("the disk is gone");
    await untilAborted(signal).finally(() => (ended += 1));
  };
  await assert.rejects(besideEachOther(4, work, new AbortController().signal), /the disk is gone/);
  assert.deepEqual([begun, ended], [4, 3]);
});

test("a caller that aborts ends all of them; without a failure all of the work is done", async () => {
  const controller = new AbortController();
  const aborted = besideEachOther(2, untilAborted, controller.signal);
  controller.abort();
  await assert.rejects(aborted, /aborted/);
  let done = 0;
  await besideEachOther(3, () => Promise.resolve(void (done += 1)), new AbortController().signal);
  assert.equal(done, 3);
});

test("each item is worked on once, as many at once as may be, and the results have the order of the items", async () => {
  const running = new Map<number, () => void>();
  let most = 0;
  const work = async (item: number) => {
    await new Promise<void>((resolve) => {
      running.set(item, resolve);
      most = Math.max(most, running.size);
    });
    running.delete(item);
    return item * 10;
  };
  const { signal } = new AbortController();
  const results = eachBesideOthers([1, 2, 3, 4, 5], 2, work, signal);
  // Those that began last end first.
  while (running.size > 0) {
    [...running.values()].at(-1)?.();
    await new Promise(setImmediate);
  }
  assert.deepEqual([await results, most], [[10, 20, 30, 40, 50], 2]);
  assert.deepEqual(await eachBesideOthers([], 2, work, signal), []);
});

test("a failure ends the work on further items", async () => {
  const begun: number[] = [];
  const work = (item: number) => {
    begun.push(item);
    return item === 2 ? Promise.reject(new Error("no capture")) : Promise.resolve();
  };
  await assert.rejects(eachBesideOthers([1, 2, 3, 4], 1, work, new AbortController().signal), /no capture/);
  assert.deepEqual(begun, [1, 2]);
});
