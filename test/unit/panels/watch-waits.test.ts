// A watch of where processes wait: its looks, and the part that is kept when the VM ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ErrorCodes, type InsideWaitsResult, type WaitsLook } from "../../../contract/protocol.generated.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { watchWaits, type WaitsSource } from "../../../extension/src/panels/waits/watch-waits.js";

const LOOK: WaitsLook = { processes: 9, waiting: 7, restless: 1, unproven: 1, cut: 0, full: false, nextMs: 250 };
const RESULT = { capture: "", waits: {} } as InsideWaitsResult;
const ENDED = new HelperError("refused", "process 4242 has ended", "", "", ErrorCodes.targetGone);
const NEVER = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };

/** Looks take 10 ms each, and pauses as long as they are to take. */
function watched(answers: readonly (WaitsLook | Error)[], seconds = 1) {
  let now = 1_700_000_000_000;
  let finished = 0;
  const left = [...answers];
  const source: WaitsSource = {
    lookAtWaits: () => {
      now += 10;
      const answer = left.shift() ?? LOOK;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    finishWaits: () => {
      finished += 1;
      return Promise.resolve(RESULT);
    },
  };
  const pause = (ms: number) => {
    now += ms;
    return Promise.resolve();
  };
  const done: number[] = [];
  const watch = watchWaits(source, { seconds, nowMs: () => now, pause }, NEVER, (_, part) => done.push(part));
  return { watch, done, finished: () => finished };
}

test("the last look is at the end, and its time is that of its answer", async () => {
  const { watch, done, finished } = watched([]);
  const { looks, takenUnixMs, endedUnixMs, result } = await watch;
  assert.deepEqual([looks, takenUnixMs, endedUnixMs, finished()], [5, 1_700_000_001_010, null, 1]);
  assert.equal(result, RESULT);
  assert.equal(done.at(-1), 1);
});

test("the last look comes at the end, however late the next one would be, and none after it", async () => {
  const early = watched([], 0.9);
  assert.deepEqual([(await early.watch).looks, (await early.watch).takenUnixMs], [5, 1_700_000_000_910]);
  const atTheEnd = watched([], 0.26);
  assert.deepEqual([(await atTheEnd.watch).looks, (await atTheEnd.watch).seconds], [2, 0.26]);
  const full = watched([LOOK, { ...LOOK, full: true }]);
  assert.equal((await full.watch).looks, 2, "no more can be kept");
});

test("when the VM ends, the looks until then are finished and kept, with the time by which it had ended", async () => {
  const { watch, finished } = watched([LOOK, { ...LOOK, waiting: 8 }, ENDED]);
  const { looks, last, takenUnixMs, endedUnixMs, seconds } = await watch;
  assert.deepEqual([looks, last.waiting, finished()], [2, 8, 1]);
  assert.deepEqual([takenUnixMs, endedUnixMs, seconds], [1_700_000_000_260, 1_700_000_000_510, 0.51]);
});

test("nothing is kept of a VM that ended before the first look, or that cannot be read any longer", async () => {
  const before = watched([ENDED]);
  await assert.rejects(before.watch, (error) => error === ENDED);
  const refused = new HelperError("refused", "not permitted", "", "", ErrorCodes.notPermitted);
  const denied = watched([LOOK, refused]);
  await assert.rejects(denied.watch, (error) => error === refused);
  assert.deepEqual([before.finished(), denied.finished()], [0, 0]);
});
