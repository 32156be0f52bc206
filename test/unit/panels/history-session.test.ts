// A history that is made while its page comes and goes, and a user who cancels.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToWebview } from "../../../contract/messages/history.js";
import { HistorySession } from "../../../extension/src/panels/history/history-session.js";

const answerFor = (functions: readonly string[]): ToWebview => ({
  type: "history",
  history: { work: "", commits: [], series: [], remarks: [], notes: [], doubts: [], skipped: [] },
  functions,
});

/** A session whose histories are made when the test ends them. */
function session() {
  const posted: ToWebview[] = [];
  const asked: { functions: readonly string[]; progress: (done: number, all: number) => void; end: () => void }[] = [];
  const it = new HistorySession({
    made: (functions, progress, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        asked.push({ functions, progress, end: () => resolve(answerFor(functions)) });
      }),
    chosen: () => Promise.resolve(undefined),
    compare: () => Promise.resolve(),
    problem: (error) => ({ type: "problem", what: "It failed", why: String(error) }),
    post: (message) => void posted.push(message),
  });
  return { it, posted, asked };
}
const READY = { type: "ready", saved: {} } as const;

test("a page that is hidden and shown while a history is made has its progress, and no second one is made", async () => {
  const { it, posted, asked } = session();
  const made = it.receive(READY);
  asked[0]?.progress(3, 8);
  await it.receive(READY);
  assert.equal(asked.length, 1);
  assert.deepEqual(posted.at(-1), { type: "busy", done: 3, all: 8 });
  asked[0]?.end();
  await made;
  assert.equal(posted.at(-1)?.type, "history");
});

test("a user who cancels other functions, or a refresh, keeps the history that was there", async () => {
  const { it, posted, asked } = session();
  const first = it.receive(READY);
  await it.receive({ type: "cancel" });
  await first;
  assert.deepEqual(posted.at(-1), { type: "cancelled" }, "none was there");
  const second = it.show(["shop:loop/1"]);
  asked[1]?.end();
  await second;
  const other = it.show(["lists:map/2"]);
  await it.receive({ type: "cancel" });
  await other;
  assert.deepEqual(posted.at(-1), answerFor(["shop:loop/1"]));
  const again = it.receive({ type: "again" });
  assert.deepEqual(asked.at(-1)?.functions, ["shop:loop/1"], "those in sight are made anew");
  asked.at(-1)?.end();
  await again;
});

test("no more than twenty functions are followed, whoever names them", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `m:f/${String(index)}`);
  const shown = session();
  await shown.it.show(names);
  void shown.it.receive(READY);
  const saved = session();
  void saved.it.receive({ type: "ready", saved: { functions: names } });
  assert.deepEqual([shown.asked[0]?.functions, saved.asked[0]?.functions], [names.slice(0, 20), names.slice(0, 20)]);
});
