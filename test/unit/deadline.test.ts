// The time after which work is given up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Deadline } from "../../extension/src/deadline.js";

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

/** Whether a signal is aborted that is looked at once in a while, as a loop of attempts does. */
async function isAborted(signal: AbortSignal): Promise<boolean> {
  for (let looks = 0; looks < 20 && !signal.aborted; looks++) {
    await sleep(20);
    collectGarbage();
  }
  return signal.aborted;
}

test("a deadline among other signals is reached, however often memory is collected", async () => {
  const among = (source: AbortSignal) => AbortSignal.any([new AbortController().signal, source]);
  const deadline = new Deadline(50);
  assert.equal(await isAborted(among(deadline.signal)), true);
  assert.equal(deadline.isOver, true);
});

test("a deadline that is disposed is never over", async () => {
  const deadline = new Deadline(20);
  deadline.dispose();
  assert.equal(await isAborted(deadline.signal), false);
});
