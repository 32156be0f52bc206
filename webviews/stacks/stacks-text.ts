// All stacks as text.

import type { StackThread } from "../../contract/messages/stacks.js";
import { classWords } from "../words/sample-classes.js";
import { STRINGS } from "./strings.js";

export function threadTitle({ scheduler, threadName }: StackThread): string {
  return STRINGS.scheduler(scheduler, threadName);
}

function doing({ sampleClass, sleepsInCSeconds }: StackThread): string {
  return sleepsInCSeconds === null ? classWords(sampleClass).label : STRINGS.sleeps(sleepsInCSeconds);
}

/** @param remarks on the VM in that moment, as above the stacks in the page; empty ones are left out */
export function stacksText(heading: string, remarks: readonly string[], threads: readonly StackThread[]): string {
  const blocks = threads.map((thread) => {
    const may = thread.state === "offline" || thread.state === "blocked" ? STRINGS[thread.state] : "";
    const head = thread.idle
      ? `${threadTitle(thread)}: ${STRINGS.idle}`
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
