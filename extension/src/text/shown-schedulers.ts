// Which schedulers of a VM may run, as pages show it, and those of the time of a capture in words. No vscode in here.

import { count } from "../../../contract/figures.js";
import { shownName, type Words } from "../../../contract/plain-text.js";
import type { SchedulersOnline, SchedulersSeen } from "../../../contract/protocol.generated.js";

const MOST_BLOCKERS = 16;
const LONGEST_NAME = 120;

/** @param schedulers undefined in an answer of an older helper */
export function shownSchedulers(schedulers: SchedulersOnline | null | undefined): SchedulersOnline | null {
  if (schedulers === null || schedulers === undefined) return null;
  const blockers = schedulers.blockers.slice(0, MOST_BLOCKERS).map(({ pid, name }) => ({
    pid: shownName(pid, LONGEST_NAME),
    name: name === null ? null : shownName(name, LONGEST_NAME),
  }));
  return { ...schedulers, blockers };
}

/** The schedulers that might not run in the time of a capture, and when; empty where all might, as far as that is known. */
export function seenSchedulersText(seen: SchedulersSeen | undefined, l10n: Words, language?: string): string {
  const [start, end] = [seen?.at_start, seen?.at_end].map((each) => {
    const shown = shownSchedulers(each);
    return shown === null ? undefined : schedulersText(shown, l10n, language);
  });
  const orAll = (text: string) => (text === "" ? l10n.t("all schedulers online") : text);
  if ((start ?? "") === "" && (end ?? "") === "") return "";
  if (start === undefined) return l10n.t("At the last reading: {0}", orAll(end ?? ""));
  if (end === undefined) return l10n.t("When the capture began: {0}", orAll(start));
  return start === end
    ? l10n.t("When the capture began and at the last reading: {0}", orAll(start))
    : l10n.t("When the capture began: {0}; at the last reading: {1}", orAll(start), orAll(end));
}

/**
 * Whether a process blocked them, or the number online changed, in the time of a capture. That fewer are online than there
 * are, all the time, is how most VMs with a quota begin: a fact, and no fault of the capture.
 */
export function areSchedulersDisturbed(seen: SchedulersSeen | undefined): boolean {
  const [start, end] = [seen?.at_start ?? null, seen?.at_end ?? null];
  if ([start, end].some((each) => (each?.blocked ?? null) !== null)) return true;
  if (start === null || end === null) return false;
  return start.normal.online !== end.normal.online || start.dirtyCpu.online !== end.dirtyCpu.online;
}

/** Empty where all may run. */
function schedulersText(schedulers: SchedulersOnline, l10n: Words, language?: string): string {
  const { normal, dirtyCpu, blocked, blockers } = schedulers;
  const number = (value: number) => count(value, language);
  const names = blockers.map(({ pid, name }) => (name === null ? pid : `${name} (${pid})`)).join(", ");
  return [
    ...(normal.online < normal.all
      ? [l10n.t("{0} of {1} schedulers online", number(normal.online), number(normal.all))]
      : []),
    ...(dirtyCpu.online < dirtyCpu.all
      ? [l10n.t("{0} of {1} dirty CPU schedulers online", number(dirtyCpu.online), number(dirtyCpu.all))]
      : []),
    ...(blocked === null
      ? []
      : [
          names === ""
            ? l10n.t("Multi-scheduling is blocked; by which process is not known")
            : l10n.t("Multi-scheduling is blocked by {0}", names),
        ]),
  ].join(" · ");
}
