// All words of the panel of stacks.

import type { SchedulerId, Trust } from "../../extension/src/protocol.generated.js";
import { count } from "../shared/numbers.js";

const SCHEDULERS: Record<SchedulerId["type"], string> = { normal: "Scheduler", dirty_cpu: "Dirty CPU scheduler", dirty_io: "Dirty I/O scheduler" };

export const STRINGS = {
  title: "Stacks of all schedulers",
  heading: (pid: number, target: string) => (target === "" ? `Process ${pid}` : `${target} (${pid})`),
  taken: (time: string, idle: number, threads: number) => `${time} · ${count(threads)} threads, ${count(idle)} idle`,
  taking: "Taking stacks…",
  cancelled: "Cancelled.",
  refresh: "Take Again",
  refreshHelp: "Take the stacks of this moment",
  cancel: "Cancel",
  cancelHelp: "Stop waiting for the stacks",
  pick: "Another VM…",
  pickHelp: "Choose another running VM",
  choose: "Choose a VM…",
  auto: "Every 2 seconds",
  autoHelp: "Take the stacks again every 2 seconds while this panel is in sight",
  all: "All threads",
  allHelp: "Dirty schedulers and threads that are no schedulers, too",
  copy: "Copy as Text",
  copyHelp: "Copy all stacks as text",
  scheduler: (scheduler: SchedulerId | null, threadName: string) => (scheduler ? `${SCHEDULERS[scheduler.type]} ${scheduler.number}` : `Thread ${threadName}`),
  noProcess: "runs no process",
  idle: "Idle",
  idleList: (names: string) => `Idle, so without a stack: ${names}`,
  noThreads: "The VM has no threads to show.",
  noFrames: "No frames.",
  leftOut: (frames: number) => `${count(frames)} more frames`,
  framesOf: (name: string) => `Frames of ${name}, innermost first`,
  goTo: (place: string) => `Go to ${place}`,
  trust: {
    captured: { label: "exact", help: "The Erlang stack is the one of the sample itself" },
    validated: { label: "validated", help: "Read a moment later, and proven unchanged since the call into C" },
    bracketed: { label: "deeper part", help: "Only the deeper Erlang frames are proven; the call was made by them or below" },
    unproven: { label: "unproven", help: "The Erlang stack could not be proven and is not shown" },
    no_process: { label: "", help: "" },
  } satisfies Record<Trust, { label: string; help: string }>,
  fix: "What to do:",
  copyFix: "Copy What to Do",
  again: "Try Again",
} as const;
