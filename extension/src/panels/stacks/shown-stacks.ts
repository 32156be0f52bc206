// An answer of pstack as the page shows it, and errors as text.

import type { StackFrame, StacksProblem, StackThread } from "../../../../contract/messages/stacks.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { PstackFrame, PstackResult, PstackThread } from "../../../../contract/protocol.generated.js";
import { placeText } from "../page/place-text.js";

/** Deeper stacks are cut for the page; the innermost frames matter. */
const MOST_FRAMES = 300;
const MOST_THREADS = 2000;

export function shownThreads({ threads, standstill, ending }: PstackResult): readonly StackThread[] {
  return threads.slice(0, MOST_THREADS).map((thread) => ({
    threadId: thread.threadId,
    threadName: shownName(thread.threadName, 60),
    scheduler: thread.scheduler,
    state: thread.state,
    idle: thread.idle,
    sleepsInCSeconds: thread.sleepsInCS,
    process: processText(thread),
    sampleClass: (standstill !== undefined || ending === true) && waited(thread) ? null : thread.class,
    trust: thread.trust,
    frames: thread.frames.slice(0, MOST_FRAMES).map(shownFrame),
    leftOut: Math.max(thread.frames.length - MOST_FRAMES, 0),
  }));
}

/** It waited for something to run. In a VM of which nothing else runs that is no activity: there will be nothing to run. */
function waited(thread: PstackThread): boolean {
  return thread.class === "idle" || thread.class === "busy_wait";
}

function processText({ erlangPid, processName }: PstackThread): string {
  return [erlangPid, processName]
    .filter((part): part is string => part !== null && part !== "")
    .map((part) => shownName(part, 120))
    .join(" ");
}

function shownFrame(frame: PstackFrame): StackFrame {
  return {
    name: shownName(frame.function),
    kind: frame.kind,
    place: placeText(frame.file ?? "", frame.line ?? 0),
    object: shownName(frame.object, 80),
    hasSource: frame.kind === "erlang" && frame.file !== null,
  };
}

/** An error of the helper has three parts: what, why and what to do. Anything else is a mistake in the extension, shown with its message. */
export function problemOf(error: unknown): StacksProblem {
  const part = (name: string) =>
    typeof error === "object" && error !== null && name in error
      ? shownName(String((error as Record<string, unknown>)[name]), 1000)
      : "";
  const what = part("what");
  return what === ""
    ? { what: part("message") || shownName(String(error), 1000), why: "", fix: "" }
    : { what, why: part("why"), fix: part("fix") };
}
