// The line of a VM with schedulers that may not run: how many are online, and who blocks the others.

import type { SchedulersOnline } from "../../contract/protocol.generated.js";
import { count } from "../words/figures.js";
import { NODE_WORDS } from "../words/node-words.js";
import { element, nameText } from "./dom.js";

export class SchedulersLine {
  readonly element = element("p", { class: "schedulers-line", role: "status", hidden: true });

  /**
   * @param schedulers null or undefined where that is not known
   * @param ifUnknown   the line for null
   */
  show(schedulers: SchedulersOnline | null | undefined, ifUnknown = ""): void {
    this.showText(schedulersText(schedulers, ifUnknown));
  }

  /** @param text   empty for nothing */
  showText(text: string): void {
    this.element.hidden = text === "";
    // It is read aloud when it changes.
    if (this.element.textContent !== text) this.element.replaceChildren(nameText(text));
  }
}

/** The same as text, empty where all schedulers may run. @param ifUnknown   the text for null */
export function schedulersText(schedulers: SchedulersOnline | null | undefined, ifUnknown = ""): string {
  if (schedulers === null) return ifUnknown;
  if (schedulers === undefined) return "";
  const { normal, dirtyCpu, blocked, blockers } = schedulers;
  const names = blockers.map(({ pid, name }) => (name === null ? pid : `${name} (${pid})`)).join(", ");
  return [
    ...(normal.online < normal.all ? [NODE_WORDS.online(count(normal.online), count(normal.all))] : []),
    ...(dirtyCpu.online < dirtyCpu.all ? [NODE_WORDS.dirtyOnline(count(dirtyCpu.online), count(dirtyCpu.all))] : []),
    ...(blocked === null ? [] : [names === "" ? NODE_WORDS.blocked : NODE_WORDS.blockedBy(names)]),
  ].join(" · ");
}

/**
 * The schedulers at the end of a watch.
 * @param endedUnixMs when the VM had ended, which has none then; null when it was there
 */
export const watchedSchedulersText = (schedulers: SchedulersOnline | null, endedUnixMs: number | null): string =>
  schedulersText(schedulers, endedUnixMs === null ? NODE_WORDS.onlineUnknown : "");
