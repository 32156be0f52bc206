// All words of the page of processes that wait for each other.

import type { LateCause } from "../../contract/protocol.generated.js";
import { count, decimal } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

export const STRINGS = {
  title: l10n.t("Where Processes Wait"),
  heading: (node: string, pid: number, host: string) =>
    [node === "" ? l10n.t("Process {0}", pid) : `${node} (${String(pid)})`, host]
      .filter((part) => part !== "")
      .join(" · "),
  seen: (waiting: number, processes: number, time: string, seconds: number, looks: number) =>
    looks === 1
      ? l10n.t(
          "{0} of {1} processes waited at {2}; watched for {3} s, 1 snapshot.",
          count(waiting),
          count(processes),
          time,
          decimal(seconds),
        )
      : l10n.t(
          "{0} of {1} processes waited at {2}; watched for {3} s, {4} snapshots.",
          count(waiting),
          count(processes),
          time,
          decimal(seconds),
          count(looks),
        ),
  full: l10n.t("The capture is full, so it ended early."),
  none: l10n.t("Nothing has been watched yet."),
  nobody: l10n.t("No process waits in a call: processes wait for messages from any sender."),
  nobodyKnown: l10n.t("No process is known to wait for another one."),
  notRead: l10n.t("The VM ended before the waits between processes were read."),
  restless: (processes: number) =>
    processes === 1
      ? l10n.t("1 process was running, in C code, or ending.")
      : l10n.t("{0} processes were running, in C code, or ending.", count(processes)),
  unread: (processes: number) =>
    processes === 1
      ? l10n.t("The stack of 1 process could not be read.")
      : l10n.t("The stacks of {0} processes could not be read.", count(processes)),
  choose: l10n.t("Watch a VM…"),
  again: l10n.t("Watch Again"),
  againHelp: l10n.t("Watch the same VM again"),
  flame: l10n.t("Flame Graph"),
  flameHelp: l10n.t("Show where all processes waited, by stack"),
  copy: l10n.t("Copy as Text"),
  copyHelp: l10n.t("Copy the tables as text"),
  cycles: l10n.t("Waiting for Each Other"),
  cyclesHelp: l10n.t(
    "Each waits for the next one, the last one for the first: none continues until one of them gives up.",
  ),
  circle: (names: string, limited: number, all: number) =>
    limited === 0
      ? l10n.t("{0}, for ever", names)
      : l10n.t("{0}, of which {1} of {2} wait with a time limit", names, count(limited), count(all)),
  handedOn: (process: string, via: string) => l10n.t("{0}, which has their request from {1}", process, via),
  hasOrHad: (process: string, via: string) => l10n.t("{0}, which has or had their request from {1}", process, via),
  idle: (state: string) =>
    l10n.t("{0}, idle: it keeps their requests, or another process works on them, which is not known", state),
  idleByName: (state: string) =>
    l10n.t(
      "{0}, idle if its function is the loop that its name suggests: it keeps their requests, or another process works on them, which is not known",
      state,
    ),
  wholeTable: (table: string) => l10n.t("all of {0}", table),
  toWrite: l10n.t("to write"),
  toRead: l10n.t("to read"),
  lockOf: (process: string, what: string, wanted: string) =>
    l10n.t("{0}, with a lock on {1}, {2}", process, what, wanted),
  lockOfSeveral: (process: string, others: number, what: string, wanted: string) =>
    l10n.t("{0} and {1} more, with a lock on {2}, {3}", process, count(others), what, wanted),
  lockAhead: (process: string, what: string, wanted: string) =>
    l10n.t("{0}, which waits before them for {1}, {2}", process, what, wanted),
  connection: (node: string) => l10n.t("the connection to {0}", node),
  /** The connection to a node. */
  busyConnection: (bytes: string | null) =>
    bytes === null
      ? l10n.t("busy: accepts no data until the other node reads; the size of its queue is not known")
      : l10n.t("busy: accepts no data until the other node reads, {0} wait to be sent", bytes),
  unknown: (processes: number) =>
    processes === 1
      ? l10n.t("In a Call That Is Not Known: 1 Process")
      : l10n.t("In a Call That Is Not Known: {0} Processes", count(processes)),
  unknownHelp: l10n.t(
    "Each waits for a reply, waits in a function that another one called, or is suspended. The process that it probably waits for is not proven.",
  ),
  maybe: (processes: number) =>
    processes === 1
      ? l10n.t("In a Function with “loop” in Its Name, Maybe a Call: 1 Process")
      : l10n.t("In a Function with “loop” in Its Name, Maybe a Call: {0} Processes", count(processes)),
  maybeHelp: l10n.t(
    "Another function called one with “loop” in its name: whether it waits there for a reply or for any message is not known.",
  ),
  likely: l10n.t("Likely waits for"),
  monitored: (process: string) => l10n.t("{0}, which they monitor", process),
  asked: (process: string) => l10n.t("{0}, in whose mailbox their message is", process),
  kept: (process: string) => l10n.t("{0}, whose pid they keep", process),
  notKnown: l10n.t("not known"),
  inC: l10n.t("In C Code That Waits"),
  inCHelp: l10n.t(
    "Each of them runs on a scheduler whose thread sleeps: they use no CPU time and receive no messages.",
  ),
  late: l10n.t("Late Time Limits and Timers"),
  lateHelp: l10n.t(
    "Their scheduler must notice that their time is up, and has no chance to: it runs the process on the right the whole time, for example in a long native function, or something keeps it from a processor.",
  ),
  lateUnknown: l10n.t("Whether time limits or timers are late is not known."),
  lateTimers: l10n.t("Timers of messages, at least"),
  timersFor: (timers: number, receivers: string) => l10n.t("{0}, for {1}", count(timers), receivers),
  lateBy: l10n.t("Late by at least"),
  scheduler: l10n.t("Scheduler"),
  lateCause: l10n.t("Cause"),
  lateCauses: {
    throttled: l10n.t("throttled by the quota of the VM's control group"),
    waits_for_processor: l10n.t("waits for a processor"),
    blocked: l10n.t("blocked"),
    offline: l10n.t("offline"),
    unknown: l10n.t("not known"),
  } satisfies Record<Exclude<LateCause, "process">, string>,
  processIn: (process: string, frames: string) => l10n.t("{0} in {1}", process, frames),
  thread: l10n.t("Thread"),
  atLeast: l10n.t("For at least"),
  seconds: (seconds: number) => l10n.t("{0} s", decimal(seconds)),
  ends: l10n.t("What Most Processes Wait For"),
  edges: l10n.t("Waits Between Processes, by Name"),
  picture: l10n.t("Wait graph: waiting processes, and to their right the processes they wait for"),
  waiters: l10n.t("Who"),
  processes: l10n.t("Processes"),
  target: l10n.t("Wait for"),
  call: l10n.t("In"),
  waiting: l10n.t("Waiting"),
  direct: l10n.t("Directly"),
  process: l10n.t("Process"),
  doing: l10n.t("Activity"),
  state: (status: string | null, stack: readonly string[]) => {
    if (status === null) return l10n.t("on another node");
    if (status === "gone") return l10n.t("has ended");
    if (status === "running") return l10n.t("runs");
    if (status === "in C")
      return stack.length === 0
        ? l10n.t("is in C code that waits")
        : l10n.t("is in C code that waits, {0}", stack.slice(0, 3).join(" < "));
    return stack.length === 0 ? status : l10n.t("{0} in {1}", status, stack.slice(0, 3).join(" < "));
  },
  /** A port: the process that sends to it goes on when the other side has read. */
  busyPort: (bytes: string, owner: string | null) =>
    owner === null
      ? l10n.t("busy: accepts no data until the other side reads, {0} wait to be written", bytes)
      : l10n.t("busy: accepts no data until the other side reads, {0} wait to be written; owner {1}", bytes, owner),
  notSearched: (processes: number) =>
    processes === 1
      ? l10n.t("1 process waits for an idle one, and it is not known who works on the request.")
      : l10n.t("{0} processes wait for an idle one, and it is not known who works on the request.", count(processes)),
  leftOut: (unproven: number, moved: number, more: number) =>
    l10n.t(
      "{0} more may wait in a call: the target is not proven, or they were not looked at; {1} continued during the reading; {2} more lines are not shown.",
      count(unproven),
      count(moved),
      count(more),
    ),
} as const;
