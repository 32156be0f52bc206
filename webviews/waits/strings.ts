// All words of the page of who waits for whom.

import { count, decimal } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

export const STRINGS = {
  title: l10n.t("Who Waits for Whom"),
  heading: (node: string, pid: number, host: string) => [node === "" ? l10n.t("Process {0}", pid) : `${node} (${String(pid)})`, host].filter((part) => part !== "").join(" · "),
  seen: (waiting: number, processes: number, time: string, seconds: number, looks: number) =>
    looks === 1
      ? l10n.t("{0} of {1} processes waited at {2}; watched for {3} s, 1 look", count(waiting), count(processes), time, decimal(seconds))
      : l10n.t("{0} of {1} processes waited at {2}; watched for {3} s, {4} looks", count(waiting), count(processes), time, decimal(seconds), count(looks)),
  full: l10n.t("No more fits into one capture: it ended early."),
  none: l10n.t("Nothing was watched yet."),
  nobody: l10n.t("Nobody waits in a call: processes wait for messages of anybody."),
  choose: l10n.t("Watch a VM…"),
  again: l10n.t("Watch Again"),
  againHelp: l10n.t("Watch the same VM once more"),
  flame: l10n.t("Flame Graph"),
  flameHelp: l10n.t("Show where all processes waited, by stack"),
  copy: l10n.t("Copy as Text"),
  copyHelp: l10n.t("Copy the tables as text"),
  cycles: l10n.t("Waiting for Each Other"),
  cyclesHelp: l10n.t("None of these goes on by itself: each waits for the next one, the last one for the first."),
  ends: l10n.t("What Everybody Waits For"),
  edges: l10n.t("Who Waits for Whom, by Name"),
  picture: l10n.t("Picture: who waits, to the right whom they wait for"),
  waiters: l10n.t("Who"),
  processes: l10n.t("Processes"),
  target: l10n.t("Wait for"),
  call: l10n.t("In"),
  waiting: l10n.t("Waiting"),
  direct: l10n.t("Directly"),
  process: l10n.t("Process"),
  doing: l10n.t("What it does"),
  state: (status: string | null, stack: readonly string[]) => {
    if (status === null) return l10n.t("on another node");
    if (status === "gone") return l10n.t("has ended");
    if (status === "running") return l10n.t("runs");
    return stack.length === 0 ? status : l10n.t("{0} in {1}", status, stack.slice(0, 3).join(" < "));
  },
  /** A port: who sends to it goes on when the other side has read. */
  busyPort: (bytes: string, owner: string | null) =>
    owner === null
      ? l10n.t("busy: takes no more until the other side reads, {0} wait to be written", bytes)
      : l10n.t("busy: takes no more until the other side reads, {0} wait to be written; owner {1}", bytes, owner),
  leftOut: (unproven: number, moved: number, more: number) =>
    l10n.t("Of {0} more in a call it cannot be proven whom they wait for; {1} went on meanwhile; {2} more lines are not shown.", count(unproven), count(moved), count(more)),
} as const;
