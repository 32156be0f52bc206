// All words of the panel of processes.

import type { CopyFormat } from "../../contract/messages/processes.js";
import type { ProcessGrouping } from "../../contract/protocol.generated.js";
import { count, decimal, memorySize } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

const STATUSES: Readonly<Record<string, string>> = {
  waiting: l10n.t("waiting"),
  running: l10n.t("running"),
  runnable: l10n.t("runnable"),
  garbage_collecting: l10n.t("collecting"),
  suspended: l10n.t("suspended"),
  exiting: l10n.t("exiting"),
};

export const STRINGS = {
  title: l10n.t("Processes"),
  grid: l10n.t("Processes of the VM"),
  attaching: l10n.t("Attaching to the VM…"),
  filter: l10n.t("Filter by name, pid or function"),
  grouping: l10n.t("Group by"),
  groupings: {
    none: l10n.t("No groups"),
    name: l10n.t("By name"),
    initialCall: l10n.t("By initial call"),
    current: l10n.t("By current function"),
    supervisor: l10n.t("By supervisor"),
    application: l10n.t("By application"),
    tree: l10n.t("Tree by parent"),
  } satisfies Record<ProcessGrouping, string>,
  onlyAlarming: l10n.t("Only alarming"),
  onlyAlarmingHelp: l10n.t(
    "Only processes with more messages or memory than the settings extrospect.inside.alarms allow",
  ),
  pause: l10n.t("Pause"),
  pauseHelp: l10n.t("Pause updates until this is pressed again"),
  lookNow: l10n.t("Read Now"),
  lookNowHelp: l10n.t("Take another snapshot of the VM now"),
  columnsMenu: l10n.t("Columns…"),
  columnsHelp: l10n.t("Choose the columns that are shown"),
  copyMenu: l10n.t("Copy…"),
  copyHelp: l10n.t("Copy the list as sorted, filtered and grouped, including rows out of view"),
  copyFormats: { text: l10n.t("As Text with Tabs"), json: l10n.t("As JSON"), csv: l10n.t("As CSV") } satisfies Record<
    CopyFormat,
    string
  >,
  pick: l10n.t("Another VM…"),
  pickHelp: l10n.t("Choose another running VM"),
  choose: l10n.t("Choose a VM…"),
  columns: {
    name: {
      title: l10n.t("Process"),
      help: l10n.t("Registered name, else label, else the function it was started with"),
    },
    pid: { title: l10n.t("Pid"), help: l10n.t("As the node itself prints it") },
    current: { title: l10n.t("Current function"), help: l10n.t("The function it is in; unknown while it runs") },
    status: { title: l10n.t("Status"), help: l10n.t("Status, and the priority if it is not normal") },
    mailbox: { title: l10n.t("Mailbox"), help: l10n.t("Waiting messages, with their number in the snapshots before") },
    memory: {
      title: l10n.t("Memory"),
      help: l10n.t("Struct, heaps, stack, dictionary and queued messages, with their size in the snapshots before"),
    },
    heapUsed: { title: l10n.t("Heap in use"), help: l10n.t("Used part of its heap, including garbage") },
    garbage: {
      title: l10n.t("Garbage"),
      help: l10n.t("Share of the used heap that a full collection would free; known after its heap has been read"),
    },
    binaries: { title: l10n.t("Binaries"), help: l10n.t("Binaries outside its heap that it holds, each counted once") },
    reductions: {
      title: l10n.t("Reductions/s"),
      help: l10n.t("Reductions per second since the previous snapshot, and in the snapshots before"),
    },
    collections: { title: l10n.t("GC/s"), help: l10n.t("Collections per second since the previous snapshot") },
    parent: { title: l10n.t("Parent"), help: l10n.t("Who started it") },
    supervisor: { title: l10n.t("Supervisor"), help: l10n.t("The first of its ancestors, as proc_lib records them") },
    application: {
      title: l10n.t("Application"),
      help: l10n.t("The last of its ancestors that has a name: the application's top supervisor"),
    },
  },
  trend: (least: string, most: string, looks: number) =>
    l10n.t("From {0} to {1} in the last {2} snapshots", least, most, looks),
  unnamed: l10n.t("(not known)"),
  ofGroup: (some: number) => (some === 1 ? l10n.t("1 process") : l10n.t("{0} processes", count(some))),
  below: (some: number) => l10n.t("{0} with those below", count(some)),
  alarm: l10n.t("alarm"),
  alarmHelp: l10n.t("Its messages or memory, or those of a process in its group, exceed the limits in the settings"),
  runs: l10n.t("it runs"),
  inC: (name: string) => (name === "" ? l10n.t("in C code") : l10n.t("{0}, in C code", name)),
  inCHelp: (thread: string, seconds: number) =>
    l10n.t(
      "Its thread {0} has been asleep in C code for at least {1} s: it uses no CPU time, and its scheduler runs nothing else",
      thread,
      decimal(seconds),
    ),
  /** The VM counts a process that sleeps in C code as running. */
  status: (status: string, sleepsInC: boolean): string =>
    sleepsInC && status === "running" ? l10n.t("sleeps in C") : (STATUSES[status] ?? status),
  processes: (all: number, matching: number) =>
    all === matching
      ? l10n.t("{0} processes", count(all))
      : l10n.t("{0} of {1} processes match", count(matching), count(all)),
  alarming: (some: number) => (some === 1 ? l10n.t("1 alarming") : l10n.t("{0} alarming", count(some))),
  /** Rows that are sorted last, since their place is not known. */
  withoutValue: (some: number) =>
    some === 1
      ? l10n.t("1 row is last because its value in the sorted column is unknown")
      : l10n.t("{0} rows are last because their values in the sorted column are unknown", count(some)),
  leftOut: (some: number) => l10n.t("{0} more are unknown", count(some)),
  ended: (some: number) => l10n.t("{0} ended while they were read", count(some)),
  torn: (some: number) => l10n.t("{0} excluded because their data was inconsistent", count(some)),
  looked: (time: string, ms: number) => l10n.t("read at {0} in {1} ms", time, ms < 10 ? decimal(ms) : count(ms)),
  every: (seconds: number) =>
    seconds === 1 ? l10n.t("every second") : l10n.t("every {0} s, to use at most 1% of a core", decimal(seconds)),
  paused: l10n.t("paused"),
  pausedAt: (time: string) => l10n.t("Paused. This is the state at {0}.", time),
  /** `unread`: processes of which it is not known. */
  alarmsNow: (some: number, unread: number) =>
    some === 0
      ? unread === 0
        ? l10n.t("No process is alarming any longer.")
        : l10n.t("No process is known to be alarming any longer.")
      : some === 1
        ? l10n.t("1 process is alarming.")
        : l10n.t("{0} processes are alarming.", count(some)),
  noMatch: l10n.t("No process fits the filter."),
  clearFilter: l10n.t("Clear the Filter"),
  noAlarms: (mailbox: number | null, memory: number | null, unread: number) => {
    const from = [
      ...(mailbox === null ? [] : [l10n.t("{0} messages", count(mailbox))]),
      ...(memory === null ? [] : [memorySize(memory)]),
    ];
    if (from.length === 0) return l10n.t("Nothing is alarming: both settings extrospect.inside.alarms are 0.");
    const limits = from.join(l10n.t(" or "));
    return unread === 0
      ? l10n.t("No process is alarming: none has {0}.", limits)
      : l10n.t(
          "No process is known to be alarming: none shows {0}. Processes that were not read in full: {1}.",
          limits,
          count(unread),
        );
  },
  showAll: l10n.t("Show All Processes"),
  vmEnded: (time: string) => l10n.t("The VM has ended. This is its state at {0}.", time),
  kept: (time: string) => l10n.t("This is its state at {0}.", time),
  lookAgain: l10n.t("Read Again"),
  lookAgainHelp: l10n.t("Attach again, also to a VM of the same name that has started since then"),
  fix: l10n.t("To fix:"),
  copyCommand: l10n.t("Copy Command"),
  copyCommandHelp: l10n.t("Copy the fix command"),
  rowMenu: l10n.t("Actions for this process"),
  heapAction: l10n.t("Read Its Heap"),
  openSource: l10n.t("Go to the Line"),
  goTo: (name: string, place: string) => l10n.t("{0} at {1}", name, place),
  onlyThis: l10n.t("Show Only This Name"),
  showParent: l10n.t("Show Its Parent"),
  copyPid: l10n.t("Copy the Pid"),
  reserve: (bytes: string) => l10n.t("In reserve, in no term: {0}", bytes),
  groupHeapsAction: l10n.t("Read Heaps of the Group"),
  readingHeaps: l10n.t("Reading heaps of the group…"),
  /** By the processes whose heaps were read. */
  groupGarbage: (read: number, of: number, time: string) =>
    l10n.t("From the heaps of {0} of {1} processes, read at {2}", count(read), count(of), time),
  groupUnread: l10n.t("None of its heaps could be read: its processes work, or have ended"),
  groupAtLeast: l10n.t("At most: not all of their messages were followed"),
  openGroup: l10n.t("Open"),
  closeGroup: l10n.t("Close"),
} as const;
