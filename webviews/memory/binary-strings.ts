// All words of the part of the memory panel about binaries.

import type { BinariesResult } from "../../contract/protocol.generated.js";
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
  explained: l10n.t(
    "Binaries larger than 64 bytes are outside the heaps of processes. They are read only on request, because all heaps must be read for them.",
  ),
  look: l10n.t("Read Binaries"),
  lookHelp: l10n.t("One reading: lists of all processes, the heaps that hold the most, and the blocks of allocators"),
  looking: l10n.t("Reading binaries…"),
  stop: l10n.t("Cancel"),
  stopHelp: l10n.t("Cancel this reading"),
  ofVm: (bytes: string) => l10n.t("{0} of binaries in the VM", bytes),
  /** What no process holds, at most. */
  unheld: (bytes: string) =>
    l10n.t("at most {0} held by no process: in ETS tables, NIFs, ports, the VM itself, and overhead of blocks", bytes),
  /** The sum of the held binaries, the time of the snapshot, and its cost. */
  sums: (binaries: number, bytes: string, processes: number, references: number, isAtLeast: boolean) => {
    const parts = [
      binaries === 1 ? l10n.t("1 binary") : l10n.t("{0} binaries", count(binaries)),
      bytes,
      processes === 1 ? l10n.t("1 process") : l10n.t("{0} processes", count(processes)),
      references === 1 ? l10n.t("1 reference") : l10n.t("{0} references", count(references)),
    ] as const;
    return isAtLeast
      ? l10n.t("at least {0}, {1}, held by {2} with {3}", ...parts)
      : l10n.t("{0}, {1}, held by {2} with {3}", ...parts);
  },
  /** Whether a list of binaries of a process, or of messages, is missing: the sums are more then. */
  isSumAtLeast: ({ restless, messages, entries }: BinariesResult["rejected"]) =>
    restless > 0 || messages > 0 || entries.torn > 0,
  taken: (time: string, tookMs: number, cpuMs: number) =>
    l10n.t("{0} · the snapshot took {1} ms, {2} ms of CPU time", time, decimal(tookMs), decimal(cpuMs)),

  filter: l10n.t("Filter by process, library or address"),
  noMatch: l10n.t("Nothing fits the filter."),
  rows: (shown: number, all: number) =>
    shown === all
      ? all === 1
        ? l10n.t("1 row")
        : l10n.t("{0} rows", count(all))
      : l10n.t("{0} of {1} rows", count(shown), count(all)),
  leftOut: (rows: number) => l10n.t("{0} smaller ones are not shown.", count(rows)),

  holders: { grid: l10n.t("Processes that hold binaries"), none: l10n.t("No process that was read holds a binary.") },
  holderColumns: {
    pid: column(l10n.t("Process"), l10n.t("The process that holds them")),
    name: column(l10n.t("Name"), l10n.t("Registered name, else label, else the function it was started with")),
    bytes: column(l10n.t("Bytes"), l10n.t("Bytes of the binaries that it holds, each counted once")),
    own: column(l10n.t("Alone"), l10n.t("Bytes of those to which nothing else refers")),
    binaries: column(l10n.t("Binaries"), l10n.t("Number of binaries that it holds")),
    references: column(l10n.t("References"), l10n.t("Number of its references to them")),
  },

  list: { grid: l10n.t("Binaries outside heaps"), none: l10n.t("No process that was read holds a binary.") },
  listColumns: {
    id: column(l10n.t("Binary"), l10n.t("Its address, which identifies it while it exists")),
    bytes: column(l10n.t("Size"), l10n.t("Its length in bytes")),
    refc: column(l10n.t("References"), l10n.t("Number of references to it, by its own counter")),
    references: column(l10n.t("Of processes"), l10n.t("Number of them in lists of processes")),
    others: column(
      l10n.t("Of others"),
      l10n.t(
        "References outside the lists of processes: in ETS, in messages, of NIFs and of the VM itself; a question mark if the number changed during the reading",
      ),
    ),
    holders: column(l10n.t("Held by"), l10n.t("The processes that hold it")),
  },
  rowMenu: l10n.t("Actions for this row"),
  showProcess: (process: string) => l10n.t("Show {0} in Processes", process),
  copyPid: l10n.t("Copy the Pid"),
  copyAddress: l10n.t("Copy the Address"),
  andMore: (holders: string, more: number) => l10n.t("{0} and {1} more", holders, count(more)),
  appended: l10n.t("appended to"),
  appendedHelp: l10n.t("A process appends to it, or did so earlier: it is longer than its used part"),

  kept: {
    grid: l10n.t("Binaries kept for less than half of their bytes"),
    none: l10n.t("No heap that was read keeps a binary for less than half of its bytes."),
  },
  keptColumns: {
    id: column(l10n.t("Binary"), l10n.t("Its address, which identifies it while it exists")),
    bytes: column(l10n.t("Size"), l10n.t("Its length in bytes")),
    used: column(l10n.t("In use"), l10n.t("Its part that belongs to live terms of these processes")),
    waste: column(l10n.t("Wasted"), l10n.t("Its kept part that belongs to no live term of these processes")),
    way: column(l10n.t("Why"), l10n.t("Whether parts of it are live, or garbage refers to it")),
    unseen: column(l10n.t("Not read"), l10n.t("References elsewhere: their owners may use more of it")),
    holders: column(l10n.t("Kept by"), l10n.t("The processes that keep it")),
  },
  isPart: l10n.t("a part of it lives"),
  isGarbage: l10n.t("garbage, until a collection"),
  keptScope: (processes: number, bytes: string, all: string) =>
    l10n.t("The heaps of {0} processes were read, which hold {1} of {2}.", count(processes), bytes, all),
  givenUp: (processes: number) => l10n.t("{0} more never rested, are too large, or took too long.", count(processes)),
  keptAdvice: l10n.t(
    "A part of a binary keeps all of it alive: binary:copy/1 of the part that is needed releases the rest. Garbage waits for a collection: a process that rarely works, or only passes binaries on, may need one (hibernate, fullsweep_after).",
  ),

  allocated: { grid: l10n.t("Memory in use by allocating process"), none: l10n.t("No block in use was found.") },
  allocatedColumns: {
    by: column(l10n.t("Allocated by"), l10n.t("The owner for which the VM allocated it, as recorded in each block")),
    library: column(l10n.t("Library"), l10n.t("The driver or NIF library that requested it")),
    allocator: column(
      l10n.t("Allocator"),
      l10n.t("Owning allocator: binary_alloc, or driver_alloc for memory of drivers and NIFs"),
    ),
    blocks: column(l10n.t("Blocks"), l10n.t("Number of blocks")),
    bytes: column(l10n.t("Size"), l10n.t("Their bytes, including the overhead of the allocator")),
  },
  ended: l10n.t("ended"),
  endedHelp: l10n.t("The process has ended, but its memory still exists: others hold it"),
  aPort: l10n.t("a port"),
  theVm: l10n.t("the VM"),
  notNoted: l10n.t("not noted"),
  tagsLibrary: l10n.t(
    "A VM records which process has allocated a block from OTP 26 on; this VM records only the library.",
  ),
  tagsNone: l10n.t(
    "This VM does not record allocating processes: it was started with +MBatags false, or has no such blocks.",
  ),
  tagsUnknown: l10n.t("Their allocating processes could not be determined."),
  switchedOff: (allocators: string) =>
    l10n.t("{0}: disabled, so malloc has the memory, and its owners are not recorded.", allocators),
  unread: (carriers: number) =>
    carriers === 1
      ? l10n.t("1 carrier is not included: it changed on every reading, or exceeds the limit.")
      : l10n.t("{0} carriers are not included: they changed on every reading, or exceed the limit.", count(carriers)),

  restless: (processes: number) =>
    processes === 1
      ? l10n.t("1 process is excluded: it was running on every reading, or holds more than 262,144 references.")
      : l10n.t(
          "{0} processes are excluded: they were running on every reading, or hold more than 262,144 references.",
          count(processes),
        ),
  messages: (messages: number) =>
    messages === 1
      ? l10n.t("1 waiting message could not be read: binaries that only it refers to are missing from the sums.")
      : l10n.t(
          "{0} waiting messages could not be read: binaries that only they refer to are missing from the sums.",
          count(messages),
        ),
  torn: (processes: number) =>
    processes === 1
      ? l10n.t("1 process ended, or its data was inconsistent, while it was read.")
      : l10n.t("{0} processes ended, or their data was inconsistent, while they were read.", count(processes)),
} as const;
