// All stacks as text.

import type { StackThread } from "../../contract/messages/stacks.js";
import type { SchedulersOnline } from "../../contract/protocol.generated.js";
import { classWords } from "../words/sample-classes.js";
import { STRINGS } from "./strings.js";

/**
 * Whether it is not known if a thread without a stack is idle: schedulers that are offline or blocked have none, either.
 * @param schedulers null when it is not known which of them may run
 */
export function mayBeIdle({ idle, scheduler }: StackThread, schedulers: SchedulersOnline | null): boolean {
  return idle && scheduler !== null && schedulers === null;
}

export function threadTitle({ scheduler, threadName }: StackThread): string {
  return STRINGS.scheduler(scheduler, threadName);
}

function doing({ sampleClass, sleepsInCSeconds }: StackThread): string {
  return sleepsInCSeconds === null ? classWords(sampleClass).label : STRINGS.sleeps(sleepsInCSeconds);
}

/** @param remarks on the VM in that moment, as above the stacks in the page; empty ones are left out */
export function stacksText(
  heading: string,
  remarks: readonly string[],
  { threads, schedulers }: { readonly threads: readonly StackThread[]; readonly schedulers: SchedulersOnline | null },
): string {
  const blocks = threads.map((thread) => {
    const may = thread.state === "offline" || thread.state === "blocked" ? STRINGS[thread.state] : "";
    const head = thread.idle
      ? `${threadTitle(thread)}: ${mayBeIdle(thread, schedulers) ? STRINGS.unknown : STRINGS.idle}`
      : may !== "" && thread.frames.length === 0
        ? `${threadTitle(thread)}: ${may}`
        : `${threadTitle(thread)}: ${[thread.process || STRINGS.noProcess, doing(thread)].join(", ")}`;
    const frames = thread.frames.map(
      ({ name, place, object }) => `    ${name}${place !== "" ? `  ${place}` : object !== "" ? `  ${object}` : ""}`,
    );
    if (thread.leftOut > 0) frames.push(`    … ${STRINGS.leftOut(thread.leftOut)}`);
    return [head, ...frames].join("\n");
  });
  const above = [heading, ...remarks.filter((remark) => remark !== "")];
  return `${above.join("\n")}\n\n${blocks.join("\n")}\n`;
}
