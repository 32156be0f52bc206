// The line of a VM of which nothing runs: why, and the command that resumes it; or that it is not known whether it
// runs.

import { type Standstill, STANDSTILL_UNKNOWN } from "../../contract/messages/standstill.js";
import { NODE_WORDS } from "../words/node-words.js";
import { element, nameText } from "./dom.js";

export class StandstillLine {
  readonly element = element("p", { class: "standstill", role: "status", hidden: true });

  /** @param standstill null when the VM runs */
  show(standstill: Standstill | null): void {
    this.element.hidden = standstill === null;
    const text = standstill === null ? "" : standstillText(standstill);
    // It is read aloud when it changes.
    if (this.element.textContent === text) return;
    if (standstill === null) return this.element.replaceChildren();
    const { command } = standstill;
    this.element.replaceChildren(
      text.slice(0, text.length - command.length),
      ...(command === "" ? [] : [element("code", {}, nameText(command))]),
    );
  }
}

/** The same as text. */
export function standstillText({ code, command }: Standstill): string {
  if (code === STANDSTILL_UNKNOWN) return NODE_WORDS.standstillUnknown;
  const why = NODE_WORDS.standstillLine(NODE_WORDS.standstill(code));
  return command === "" ? why : `${why} ${NODE_WORDS.resume(command)}`;
}
