// The stacks that a panel has are those in its page: answers that come late, and those of another VM, are not.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToWebview } from "../../../contract/messages/stacks.js";
import type { PstackResult } from "../../../contract/protocol.generated.js";
import { Cancelling } from "../../../extension/src/inside/cancelling.js";
import type { StackTarget } from "../../../extension/src/panels/stacks/stack-source.js";
import { StacksSession } from "../../../extension/src/panels/stacks/stacks-session.js";

/** One thread in one function. */
function stacksIn(name: string): PstackResult {
  const frame = { function: name, kind: "erlang", file: null, line: null, object: "" };
  const thread = {
    threadId: 1,
    threadName: "1_scheduler",
    class: "erlang",
    frames: [frame],
    erlangPid: null,
    processName: null,
  };
  return { threads: [thread] } as unknown as PstackResult;
}

function panel() {
  const posted: ToWebview[] = [];
  const asked: {
    readonly target: StackTarget;
    readonly isGivenUp: () => boolean;
    readonly answer: (name: string) => void;
  }[] = [];
  const session = new StacksSession({
    source: {
      stacks: (target, _all, token) =>
        new Promise((resolve) => {
          asked.push({
            target,
            isGivenUp: () => token.isCancellationRequested,
            answer: (name) => resolve(stacksIn(name)),
          });
        }),
    },
    texts: { noTarget: "none" },
    targetName: ({ pid }) => `vm ${String(pid)}`,
    post: (message) => void posted.push(message),
    canceller: () => {
      const cancelling = new Cancelling();
      return { token: cancelling.token, cancel: () => cancelling.cancel(), dispose: () => undefined };
    },
    nowUnixMs: () => 1_700_000_000_000,
    debug: (text) => assert.fail(text),
  });
  session.receive({ type: "ready", saved: {} });
  posted.splice(0);
  return {
    session,
    asked,
    inView: () => session.frame(0, 0)?.function,
    /** The kinds of messages since the last call, once answers that are there have come. */
    shown: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return posted.splice(0).map((message) => (message.type === "stacks" ? message.target : message.type));
    },
  };
}

test("stacks of the VM before that come late are neither shown nor kept", async () => {
  const { session, asked, inView, shown } = panel();
  session.show({ pid: 1 });
  session.show({ pid: 2 });
  assert.equal(asked[0]?.isGivenUp(), true);
  asked[1]?.answer("m:now/0");
  assert.deepEqual(await shown(), ["busy", "busy", "vm 2"]);
  asked[0]?.answer("m:before/0");
  assert.deepEqual([await shown(), inView()], [[], "m:now/0"]);
});

test("while the same VM is read once more its stacks stay, those of another one are gone at once", async () => {
  const { session, asked, inView, shown } = panel();
  session.show({ pid: 1 });
  asked[0]?.answer("m:first/0");
  await shown();
  session.show({ pid: 1 });
  assert.equal(inView(), "m:first/0");
  asked[1]?.answer("m:second/0");
  await shown();
  assert.equal(inView(), "m:second/0");
  session.show({ pid: 1, host: { ssh: "far" } });
  assert.equal(inView(), undefined, "that id is another VM there");
});
