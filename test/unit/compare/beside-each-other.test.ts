// The same work several times beside each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { besideEachOther } from "../../../extension/src/comparison/beside-each-other.js";

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
