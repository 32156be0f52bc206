// Of several pieces of work a page shows the answer of the latest one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LatestAnswer, type Turn } from "../../../extension/src/panels/page/latest-answer.js";

/** Work that ends when the test lets it. */
function work() {
  const latest = new LatestAnswer<string>();
  const turns: (Turn & { readonly end: (answer: string) => void; readonly fail: () => void })[] = [];
  const ask = () =>
    latest.ask(
      (turn) =>
        new Promise((resolve, reject) => {
          turns.push({
            signal: turn.signal,
            isLatest: () => turn.isLatest(),
            end: resolve,
            fail: () => reject(new Error("it failed")),
          });
        }),
      (_error, isCancelled, before) => `${isCancelled ? "cancelled" : "failed"}, before: ${before ?? "none"}`,
    );
  return { latest, turns, ask };
}

test("an answer that comes after a newer request is none, whichever comes first", async () => {
  for (const isNewerFirst of [true, false]) {
    const { latest, turns, ask } = work();
    const [older, newer] = [ask(), ask()];
    assert.deepEqual([turns[0]?.signal.aborted, turns[0]?.isLatest(), turns[1]?.isLatest()], [true, false, true]);
    if (isNewerFirst) {
      turns[1]?.end("new");
      assert.equal(await newer, "new");
      turns[0]?.end("old");
      assert.equal(await older, null);
    } else {
      turns[0]?.end("old");
      assert.equal(await older, null);
      assert.deepEqual([latest.isRunning, latest.last], [true, null]);
      turns[1]?.end("new");
      assert.equal(await newer, "new");
    }
    assert.deepEqual([latest.isRunning, latest.last], [false, "new"]);
  }
});

test("who cancels is told what was there before, and nothing is kept of what is put away", async () => {
  const { latest, turns, ask } = work();
  const first = ask();
  turns[0]?.fail();
  assert.equal(await first, "failed, before: none");
  const second = ask();
  assert.equal(latest.last, null, "another one is on its way");
  latest.cancel();
  turns[1]?.fail();
  assert.equal(await second, "cancelled, before: failed, before: none");
  latest.dispose();
  assert.equal(latest.last, null);
});
