// All words of the part of the memory panel that tells of binaries.

import { count, decimal } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

const column = (title: string, help: string) => ({ title, help });

export const BINARY_STRINGS = {
  tables: l10n.t("Tables of binaries"),
  tableNames: {
    binaryHolders: l10n.t("Held by"),
    binaryList: l10n.t("Largest"),
    binariesKept: l10n.t("Kept for Little"),
    binariesAllocated: l10n.t("Allocated by"),
  },
  explained: l10n.t("Binaries of more than 64 bytes lie outside of the heaps of processes. They are looked at when you ask for it, as heaps are looked through for that."),
  look: l10n.t("Look at Binaries"),
  lookHelp: l10n.t("Look once: lists of all processes, heaps of those that hold most, and the blocks of allocators"),
  looking: l10n.t("Looking at binaries…"),
  stop: l10n.t("Cancel"),
  stopHelp: l10n.t("Give up this look"),
  /** What is held in all, when it was seen, and what the look took. */
  sums: (binaries: number, bytes: string, processes: number, references: number) =>
    l10n.t(
      "{0}, {1}, held by {2} with {3}",
      binaries === 1 ? l10n.t("1 binary") : l10n.t("{0} binaries", count(binaries)),
      bytes,
      processes === 1 ? l10n.t("1 process") : l10n.t("{0} processes", count(processes)),
      references === 1 ? l10n.t("1 reference") : l10n.t("{0} references", count(references)),
    ),
  taken: (time: string, tookMs: number, cpuMs: number) => l10n.t("{0} · the look took {1} ms, {2} ms of a processor", time, decimal(tookMs), decimal(cpuMs)),

  filter: l10n.t("Filter by process, library or address"),
  noMatch: l10n.t("Nothing fits the filter."),
  rows: (shown: number, all: number) => (shown === all ? (all === 1 ? l10n.t("1 row") : l10n.t("{0} rows", count(all))) : l10n.t("{0} of {1} rows", count(shown), count(all))),
  leftOut: (rows: number) => l10n.t("{0} smaller ones are not shown.", count(rows)),

  holders: { grid: l10n.t("Processes that hold binaries"), none: l10n.t("No process holds a binary.") },
  holderColumns: {
    pid: column(l10n.t("Process"), l10n.t("The process that holds them")),
    name: column(l10n.t("Name"), l10n.t("Registered name, else label, else what it was started with")),
    bytes: column(l10n.t("Bytes"), l10n.t("Bytes of the binaries that it holds, each once")),
    own: column(l10n.t("Alone"), l10n.t("Bytes of those to which nobody else refers")),
    binaries: column(l10n.t("Binaries"), l10n.t("How many binaries it holds")),
    references: column(l10n.t("References"), l10n.t("How often it refers to them")),
  },

  list: { grid: l10n.t("Binaries outside of heaps"), none: l10n.t("No process holds a binary.") },
  listColumns: {
    id: column(l10n.t("Binary"), l10n.t("Its address, which is its name as long as it is there")),
    bytes: column(l10n.t("Size"), l10n.t("How long it is")),
    refc: column(l10n.t("References"), l10n.t("How many refer to it, as it says itself")),
    references: column(l10n.t("Of processes"), l10n.t("How many of them are in lists of processes")),
    others: column(l10n.t("Of others"), l10n.t("References in no list of a process: in ETS, in messages, of NIFs and of the VM itself; a question mark where it changed meanwhile")),
    holders: column(l10n.t("Held by"), l10n.t("The processes that hold it")),
  },
  rowMenu: l10n.t("Actions for this row"),
  showProcess: (process: string) => l10n.t("Look at {0} in Processes", process),
  copyPid: l10n.t("Copy the Pid"),
  copyAddress: l10n.t("Copy the Address"),
  andMore: (holders: string, more: number) => l10n.t("{0} and {1} more", holders, count(more)),
  appended: l10n.t("appended to"),
  appendedHelp: l10n.t("A process is appending to it, or was: it is longer than what is in use"),

  kept: { grid: l10n.t("Binaries that are kept for less than half of them"), none: l10n.t("No binary was found that is kept for less than half of it.") },
  keptColumns: {
    id: column(l10n.t("Binary"), l10n.t("Its address, which is its name as long as it is there")),
    bytes: column(l10n.t("Size"), l10n.t("How long it is")),
    used: column(l10n.t("In use"), l10n.t("What of it live terms of these processes are")),
    waste: column(l10n.t("For nothing"), l10n.t("What of it is kept and is no part of a live term of these processes")),
    way: column(l10n.t("Why"), l10n.t("Whether parts of it live, or garbage refers to it")),
    unseen: column(l10n.t("Not looked into"), l10n.t("References elsewhere: whoever has them may use more of it")),
    holders: column(l10n.t("Kept by"), l10n.t("The processes that keep it")),
  },
  isPart: l10n.t("a part of it lives"),
  isGarbage: l10n.t("garbage, until a collection"),
  keptScope: (processes: number, bytes: string, all: string) => l10n.t("The heaps of {0} processes were looked through, which hold {1} of {2}.", count(processes), bytes, all),
  givenUp: (processes: number) => l10n.t("{0} more never rested, are too large, or it took too long.", count(processes)),
  keptAdvice: l10n.t(
    "A part of a binary keeps all of it: binary:copy/1 of what is kept gives the rest back. Garbage waits for a collection: a process that hardly works, or only hands binaries on, may need one (hibernate, fullsweep_after).",
  ),

  allocated: { grid: l10n.t("Who has allocated what is in use"), none: l10n.t("No block in use was found.") },
  allocatedColumns: {
    by: column(l10n.t("Allocated by"), l10n.t("For whom the VM has allocated it, as it notes in each block")),
    library: column(l10n.t("Library"), l10n.t("The driver or NIF library that asked for it")),
    allocator: column(l10n.t("Allocator"), l10n.t("Whose block it is: binary_alloc, or driver_alloc for memory of drivers and NIFs")),
    blocks: column(l10n.t("Blocks"), l10n.t("How many blocks")),
    bytes: column(l10n.t("Size"), l10n.t("Their bytes, with what the allocator adds to each")),
  },
  ended: l10n.t("ended"),
  endedHelp: l10n.t("The process has ended, and what it has allocated is still there: others hold it"),
  aPort: l10n.t("a port"),
  theVm: l10n.t("the VM"),
  notNoted: l10n.t("not noted"),
  tagsLibrary: l10n.t("Which process has allocated a block is noted from OTP 26 on; this VM notes the library only."),
  tagsNone: l10n.t("This VM notes nobody who allocates: it was told not to (+MBatags false), or has no such blocks."),
  tagsUnknown: l10n.t("Who has allocated them could not be found out."),
  unread: (carriers: number) =>
    carriers === 1
      ? l10n.t("1 carrier changed whenever it was read, or is one too many, and is not in it.")
      : l10n.t("{0} carriers changed whenever they were read, or are too many, and are not in it.", count(carriers)),

  restless: (processes: number) =>
    processes === 1
      ? l10n.t("1 process is left out: it worked whenever it was looked at, or holds more than 262,144 references.")
      : l10n.t("{0} processes are left out: they worked whenever they were looked at, or hold more than 262,144 references.", count(processes)),
  messages: (messages: number) =>
    messages === 1
      ? l10n.t("1 message waits and could not be read: binaries that only it holds are in no sum.")
      : l10n.t("{0} messages wait and could not be read: binaries that only they hold are in no sum.", count(messages)),
  torn: (processes: number) =>
    processes === 1 ? l10n.t("1 process ended or contradicted itself while it was read.") : l10n.t("{0} processes ended or contradicted themselves while they were read.", count(processes)),
} as const;
