// The time after which work is given up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Deadline } from "../../extension/src/deadline.js";
import { until } from "../until.mjs";

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

test("a deadline among other signals is reached, however often memory is collected", async () => {
  const among = (source: AbortSignal) => AbortSignal.any([new AbortController().signal, source]);
  const deadline = new Deadline(50);
  const signal = among(deadline.signal);
  await until("its end", () => {
    collectGarbage();
    return signal.aborted;
  });
  assert.equal(deadline.isOver, true);
});

test("a deadline that is disposed is never over", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const [disposed, other] = [new Deadline(20), new Deadline(20)];
  disposed.dispose();
  t.mock.timers.tick(20);
  assert.deepEqual([disposed.isOver, other.isOver], [false, true]);
});
