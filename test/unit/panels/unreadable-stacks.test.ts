// Stacks that are requested one after another, and answers that cannot be shown.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import type { ToWebview } from "../../../contract/messages/stacks.js";
import type { PstackResult } from "../../../contract/protocol.generated.js";
import { StacksSession } from "../../../extension/src/panels/stacks/stacks-session.js";

/** A thread as a helper of another version could send it: without `processName`. */
const THREAD = {
  threadId: 4712,
  threadName: "1_scheduler",
  scheduler: { type: "normal", number: 1 },
  state: "online",
  idle: false,
  sleepsInCS: null,
  erlangPid: "<0.84.0>",
  class: "erlang",
  trust: "captured",
  frames: [],
};

/** A session whose requests have these answers. */
function session(answers: readonly unknown[]) {
  const posted: ToWebview[] = [];
  const requested = new EventEmitter();
  const debug: string[] = [];
  let requests = 0;
  const it = new StacksSession({
    source: { stacks: () => Promise.resolve(answers[requests++] as PstackResult) },
    texts: { noTarget: "No VM is chosen." },
    targetName: () => "shop@localhost",
    post: (message) => void posted.push(message),
    canceller: () => ({
      token: { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) },
      cancel: () => undefined,
      // The last step of a request.
      dispose: () => void requested.emit("end"),
    }),
    nowUnixMs: () => 0,
    debug: (text) => void debug.push(text),
  });
  it.show({ pid: 4711 });
  return { it, posted, debug, end: () => once(requested, "end") };
}

for (const [what, answer] of [
  ["a thread without the name of its process", { threads: [THREAD] }],
  ["no threads", {}],
  ["nothing", null],
] as const) {
  test(`an answer with ${what} is a problem in the page, which can request the stacks again`, async () => {
    const { it, posted, debug, end } = session([answer, { threads: [{ ...THREAD, processName: "demo_pricing" }] }]);
    const first = end();
    it.receive({ type: "ready", saved: {} });
    await first;
    assert.deepEqual(
      posted.map(({ type }) => type),
      ["busy", "problem"],
    );
    const [, problem] = posted;
    assert.ok(problem?.type === "problem" && problem.problem.what !== "");
    assert.match(debug.join("\n"), /^stacks of 4711 : TypeError: /);
    assert.equal(it.frame(0, 0), undefined, "no source of a frame that is not in the page");
    const second = end();
    it.receive({ type: "refresh", all: false });
    await second;
    const last = posted.at(-1);
    assert.ok(last?.type === "stacks");
    assert.equal(last.threads[0]?.process, "<0.84.0> demo_pricing");
  });
}
