// All words of the panel of stacks.

import type { StacksTarget } from "../../contract/messages/stacks.js";
import type { SchedulerId, Trust } from "../../contract/protocol.generated.js";
import { count, decimal } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

export const STRINGS = {
  title: l10n.t("Stacks of all schedulers"),
  heading: ({ pid, where }: StacksTarget, target: string) =>
    [target === "" ? l10n.t("Process {0}", pid) : `${target} (${pid})`, where]
      .filter((part) => part !== "")
      .join(" · "),
  /** @param unknown threads that may be idle or not */
  taken: (time: string, { idle, unknown, threads }: { idle: number; unknown: number; threads: number }) =>
    [
      threads === 1
        ? l10n.t("{0} · 1 thread, {1} idle", time, count(idle))
        : l10n.t("{0} · {1} threads, {2} idle", time, count(threads), count(idle)),
      ...(unknown === 0 ? [] : [l10n.t("{0} not known", count(unknown))]),
    ].join(", "),
  taking: l10n.t("Taking stacks…"),
  cancelled: l10n.t("Cancelled."),
  refresh: l10n.t("Take Again"),
  refreshHelp: l10n.t("Take the stacks of this moment"),
  cancel: l10n.t("Cancel"),
  cancelHelp: l10n.t("Stop waiting for the stacks"),
  pick: l10n.t("Another VM…"),
  pickHelp: l10n.t("Choose another running VM"),
  choose: l10n.t("Choose a VM…"),
  auto: l10n.t("Every 2 seconds"),
  autoHelp: l10n.t("Take the stacks again every 2 seconds while this panel is visible"),
  all: l10n.t("All threads"),
  allHelp: l10n.t("Include dirty schedulers and threads that are not schedulers"),
  copy: l10n.t("Copy as Text"),
  copyHelp: l10n.t("Copy all stacks as text"),
  scheduler: (scheduler: SchedulerId | null, threadName: string) => {
    switch (scheduler?.type) {
      case undefined:
        return l10n.t("Thread {0}", threadName);
      case "normal":
        return l10n.t("Scheduler {0}", scheduler.number);
      case "dirty_cpu":
        return l10n.t("Dirty CPU scheduler {0}", scheduler.number);
      case "dirty_io":
        return l10n.t("Dirty I/O scheduler {0}", scheduler.number);
    }
  },
  noProcess: l10n.t("runs no process"),
  sleeps: (seconds: number) => l10n.t("sleeps in C for {0} s at least", decimal(seconds)),
  sleepsHelp: l10n.t("Its process called C code that waits: it uses no CPU time and receives no messages."),
  idle: l10n.t("Idle"),
  ending: l10n.t("This VM is ending: a process is in erlang:halt, or a crash dump is written."),
  endingList: (names: string) => l10n.t("Without a stack, since the VM is ending: {0}", names),
  standingList: (names: string) => l10n.t("Without a stack, since the VM is halted: {0}", names),
  schedulersUnknown: l10n.t("Which schedulers are online is not known"),
  unknownList: (names: string) => l10n.t("Idle, offline or blocked; which of them is not known (no stack): {0}", names),
  unknown: l10n.t("idle, offline or blocked; which of them is not known"),
  offlineList: (names: string) => l10n.t("Offline: {0}", names),
  blockedList: (names: string) => l10n.t("Blocked: {0}", names),
  offline: l10n.t("offline"),
  blocked: l10n.t("blocked"),
  idleList: (names: string) => l10n.t("Idle (no stack): {0}", names),
  noThreads: l10n.t("The VM has no threads to show."),
  noFrames: l10n.t("No frames."),
  leftOut: (frames: number) => l10n.t("{0} more frames", count(frames)),
  framesOf: (name: string) => l10n.t("Frames of {0}, innermost first", name),
  goTo: (place: string) => l10n.t("Go to {0}", place),
  trust: {
    captured: { label: l10n.t("exact"), help: l10n.t("The Erlang stack is the one of the sample itself") },
    validated: {
      label: l10n.t("validated"),
      help: l10n.t("Read a moment later, and proven unchanged since the call into C"),
    },
    bracketed: {
      label: l10n.t("deeper part"),
      help: l10n.t("Only the deeper Erlang frames are proven; the call was made by them or below"),
    },
    unproven: { label: l10n.t("unproven"), help: l10n.t("The Erlang stack could not be proven and is not shown") },
    no_process: { label: "", help: "" },
  } satisfies Record<Trust, { label: string; help: string }>,
  fix: l10n.t("To fix:"),
  copyFix: l10n.t("Copy Remedy"),
  again: l10n.t("Try Again"),
} as const;
