// When the editor is notified of changed lenses, and which functions keep theirs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LensChoice, type LensCandidate } from "../../../extension/src/annotate/lens-choice.js";
import { LensRequests } from "../../../extension/src/annotate/lens-requests.js";
import { handClock } from "../panels/hand-clock.js";

/** As VS Code does it: a request follows the last notification after a delay, and the loss of focus drops it. */
function editorLike(clock: ReturnType<typeof handClock>, delayMs: number, requested: () => void) {
  let drop: (() => void) | undefined;
  return {
    notified: () => {
      drop?.();
      drop = clock.later(delayMs, requested);
    },
    blurred: () => drop?.(),
  };
}

function scene(delayMs: number) {
  const clock = handClock();
  const requestedAt: number[] = [];
  let notifications = 0;
  const editor = editorLike(clock, delayMs, () => {
    requestedAt.push(clock.nowMs());
    requests.answered("a");
  });
  const requests = new LensRequests(() => {
    notifications++;
    editor.notified();
  }, clock.later);
  return { clock, editor, requests, requestedAt, notified: () => notifications };
}

describe("requests for lenses", () => {
  for (const delayMs of [250, 1500, 5000, 20_000])
    test(`a change a second does not put off an editor that waits ${String(delayMs)} ms`, () => {
      const { clock, requests, requestedAt } = scene(delayMs);
      for (let second = 0; second < 300; second++) {
        requests.changed(["a"]);
        clock.pass(1000);
      }
      assert.ok(requestedAt.length >= 5, String(requestedAt));
    });

  test("a request that the loss of focus has dropped is repeated", () => {
    const { clock, editor, requests, requestedAt } = scene(250);
    requests.changed(["a"]);
    clock.pass(100);
    editor.blurred();
    clock.pass(10_000);
    assert.equal(requestedAt.length, 1);
  });

  test("an editor that requests nothing is left alone after a while, and notified of the next change", () => {
    const clock = handClock();
    let notifications = 0;
    const requests = new LensRequests(() => notifications++, clock.later);
    requests.changed(["a"]);
    clock.pass(600_000);
    const after = notifications;
    assert.ok(after < 8, String(after));
    assert.equal(clock.waiting(), 0);
    requests.changed(["a"]);
    assert.equal(notifications, after + 1);
  });

  test("of two documents both are requested, and nothing waits when none differs", () => {
    const { clock, requests, notified } = scene(250);
    requests.changed(["a", "b"]);
    clock.pass(1000);
    assert.equal(notified(), 1);
    clock.pass(5500);
    assert.ok(notified() > 1);
    requests.changed([]);
    assert.equal(clock.waiting(), 0);
  });
});

describe("functions that have a lens", () => {
  const capture = {};
  const at = (nowMs: number, cursorLine = 100, live = true) => ({ capture, live, nowMs, cursorLine });
  const candidate = (functionIndex: number, heat: number): LensCandidate => ({
    functionIndex,
    line: functionIndex * 10,
    heat,
  });
  const sorted = (chosen: ReadonlySet<number>) => [...chosen].sort((one, other) => one - other);

  test("the line of the cursor moves at most once in the minute after the first lenses, whatever the figures do", () => {
    for (let seed = 1; seed <= 200; seed++) {
      let state = seed;
      const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
      const choice = new LensChoice();
      let before: string | undefined;
      let moves = 0;
      for (let second = 0; second < 60; second++) {
        const candidates = Array.from({ length: 12 }, (_, index) => candidate(index + 1, random() * 2));
        const above = sorted(choice.of("a", candidates, at(second * 1000, 65))).filter((index) => index * 10 <= 65);
        if (before !== undefined && before !== above.join()) moves++;
        if (above.length > 0 || before !== undefined) before = above.join();
      }
      assert.ok(moves <= 1, `seed ${String(seed)}: ${String(moves)} moves`);
    }
  });

  test("below the cursor a function gets its lens at once, and keeps it while its figure is not half of the threshold", () => {
    const choice = new LensChoice();
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 2), candidate(5, 0.9)], at(0, 20))), [1]);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 2), candidate(5, 1.1)], at(1000, 20))), [1, 5]);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 2), candidate(5, 0.6)], at(2000, 20))), [1, 5]);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 2), candidate(5, 0.4)], at(3000, 20))), [1]);
  });

  test("above the cursor the first correction comes after ten seconds", () => {
    const choice = new LensChoice();
    choice.of("a", [candidate(1, 2)], at(0));
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 2), candidate(2, 3)], at(9000))), [1]);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 2), candidate(2, 3)], at(10_000))), [1, 2]);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 0.1), candidate(2, 3)], at(69_000))), [1, 2]);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 0.1), candidate(2, 3)], at(70_000))), [2]);
  });

  test("a document that has lost its only lens gets it back as any other: at the threshold, and above the cursor after a minute", () => {
    const choice = new LensChoice();
    choice.of("a", [candidate(1, 2)], at(0));
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 0.4)], at(10_000))), []);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 0.6)], at(11_000))), []);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 3)], at(69_000))), []);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 0.9)], at(70_000))), []);
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 1)], at(71_000))), [1]);
  });

  test("the end of a capture, another capture and changed settings decide anew", () => {
    const choice = new LensChoice();
    choice.of("a", [candidate(1, 2)], at(0));
    assert.deepEqual(sorted(choice.of("a", [candidate(1, 0.9), candidate(2, 3)], at(1000, 100, false))), [2]);
    assert.deepEqual(sorted(choice.of("a", [candidate(3, 1)], { ...at(2000), capture: {} })), [3]);
    choice.forgetAll();
    assert.deepEqual(sorted(choice.of("a", [candidate(4, 1)], at(2500))), [4]);
  });
});
