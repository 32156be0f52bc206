// All words of the panel of memory.

import type { TrendSeries } from "../../contract/messages/memory.js";
import { count, decimal } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

const column = (title: string, help: string) => ({ title, help });

export const STRINGS = {
  title: l10n.t("Memory of a VM"),
  attaching: (name: string) => l10n.t("Attaching to {0}…", name),
  noTarget: l10n.t("No VM is chosen."),
  choose: l10n.t("Choose a VM…"),
  pick: l10n.t("Another VM…"),
  pickHelp: l10n.t("Choose another running VM"),
  pause: l10n.t("Pause"),
  pauseHelp: l10n.t("Pause updates until this is pressed again"),
  lookNow: l10n.t("Read Now"),
  lookNowHelp: l10n.t("Take another snapshot of the VM now"),
  copyJson: l10n.t("Copy as JSON"),
  copyJsonHelp: l10n.t("Copy the last snapshot as JSON"),
  copyCsv: l10n.t("Copy as CSV"),
  copyCsvHelp: l10n.t("Copy the visible table as comma-separated values"),
  tabs: l10n.t("Parts of the memory panel"),
  tabNames: {
    overview: l10n.t("Overview"),
    allocators: l10n.t("Allocators"),
    carriers: l10n.t("Carriers"),
    trend: l10n.t("Trend"),
    ets: l10n.t("ETS Tables"),
    code: l10n.t("Code"),
    binaries: l10n.t("Binaries"),
  },
  /** The time of the last snapshot, its cost, and the time of the next one. */
  pace: (time: string, cpuMs: number, nextMs: number, isSlowed: boolean) =>
    isSlowed
      ? l10n.t(
          "{0} · a snapshot takes {1} ms of CPU time, so the next one comes after {2} s: snapshots stay below 1% of a core",
          time,
          decimal(cpuMs),
          decimal(nextMs / 1000),
        )
      : l10n.t(
          "{0} · a snapshot takes {1} ms of CPU time · the next one after {2} s",
          time,
          decimal(cpuMs),
          decimal(nextMs / 1000),
        ),
  pacePaused: (time: string, cpuMs: number) =>
    l10n.t("Paused · last snapshot {0}, which took {1} ms of CPU time", time, decimal(cpuMs)),
  paceEnded: (time: string) => l10n.t("The VM has ended · this is the last snapshot, of {0}", time),
  fix: l10n.t("To fix:"),
  copyCommand: l10n.t("Copy the Command"),
  again: l10n.t("Try Again"),
  findAgain: l10n.t("Find It Again"),
  findAgainHelp: l10n.t("Find the VM that has this name now"),

  advice: l10n.t("Suggestions"),
  fragmented: (allocator: string, lost: string, blocks: string) =>
    l10n.t(
      "{0} is fragmented: {1} of its carriers are in memory but in no block, {2} are in blocks.",
      allocator,
      lost,
      blocks,
    ),
  fragmentedFlag: (flag: string) =>
    l10n.t(
      "If this persists, consider {0}: it limits carriers to 512 KB (5 MB by default), so that more of them become empty and are returned.",
      flag,
    ),
  fragmentedTrade: l10n.t(
    "The cost: more system calls, and less memory to share. One snapshot does not show whether the state persists: watch the trend for some hours first.",
  ),
  copyFlag: l10n.t("Copy the Flag"),

  picture: l10n.t("In memory, in carriers, in blocks"),
  rss: l10n.t("In memory (RSS)"),
  carriers: l10n.t("Carriers"),
  blocks: l10n.t("Blocks"),
  parts: {
    carriersResident: l10n.t("in carriers"),
    stacks: l10n.t("stacks of threads"),
    malloc: l10n.t("heaps of the C library (malloc)"),
    segments: l10n.t("segments that the VM has freed and keeps for later"),
    unexplained: l10n.t("NIFs, drivers and others, at most: not all other uses of memory outside carriers are known"),
    noneOfThese: l10n.t(
      "in none of these: large pieces of malloc, variables of the program, mappings of NIFs and drivers",
    ),
    code: l10n.t("code that the JIT made"),
    shared: l10n.t("files and shared memory: the program, its libraries"),
    sharedWithCode: l10n.t("files and shared memory: the program, its libraries, code of the JIT"),
    anonymous: l10n.t("outside files: carriers, stacks of threads, the C library"),
    resident: l10n.t("in memory"),
    absent: l10n.t("not in memory: never filled, given back, or on disk"),
    unknown: l10n.t("the kernel does not report the part of it that is in memory"),
    heaps: l10n.t("heaps of processes"),
    binary: l10n.t("binaries"),
    ets: l10n.t("ETS"),
    other: l10n.t("everything else"),
    free: l10n.t("free: in carriers, outside blocks"),
  },
  rssUnknown: l10n.t("The kernel does not report the part that is in memory."),
  lazilyFreed: (bytes: string) =>
    l10n.t("{0} were returned and are in memory until the kernel needs them; the figures above include them.", bytes),
  swapped: (bytes: string) => l10n.t("{0} are on disk instead.", bytes),
  split: l10n.t("Counts of the VM (erlang:memory)"),
  splitColumns: { what: l10n.t("What"), bytes: l10n.t("Size"), share: l10n.t("Share") },
  splitNames: {
    total: l10n.t("total"),
    totalAtLeast: l10n.t("total, at least"),
    process_heaps: l10n.t("processes, without their structs"),
    binary: l10n.t("binary"),
    ets: l10n.t("ets, with the table of names"),
    etsAtLeast: l10n.t("ets, at least"),
    jit_code: l10n.t("code made by the JIT"),
    literals: l10n.t("literals: constants of modules, and persistent terms"),
    rest: l10n.t("everything else, which is not read separately: structs of processes, atoms, system"),
  },
  nativeLibraries: (names: string) =>
    l10n.t("Libraries with NIFs or drivers, whose malloc is outside all allocators: {0}.", names),
  notManaged: l10n.t("not managed by the VM"),
  switchedOff: (allocators: string) =>
    l10n.t(
      "Not managed by the VM: {0}. They are disabled, so malloc has their memory, and no figure except RSS includes it.",
      allocators,
    ),
  atoms: l10n.t("Atoms"),
  atomsOf: (used: number, limit: number, share: string) => l10n.t("{0} of {1} ({2})", count(used), count(limit), share),
  rejected: {
    allocators: (instances: number) =>
      l10n.t("Excluded: {0} allocator instances whose sums were inconsistent on every reading.", count(instances)),
    carriers: (instances: number) =>
      l10n.t(
        "The carriers of {0} allocator instances changed on every reading: some are not shown, and a free block may be larger than shown.",
        count(instances),
      ),
    tables: (tables: number) => l10n.t("Excluded: {0} ETS tables that changed on every reading.", count(tables)),
    carriersLeftOut: (carriers: number) =>
      l10n.t("{0} further carriers, smaller than those shown, are left out.", count(carriers)),
    modulesLeftOut: (modules: number) =>
      l10n.t("Excluded: the code of {0} modules whose size is unknown.", count(modules)),
    tablesLeftOut: (tables: number) =>
      l10n.t("{0} further tables, smaller than those shown, are left out.", count(tables)),
  },

  allocatorGrid: l10n.t("Allocators, each with the carriers that have the most free memory"),
  allocatorColumns: {
    name: column(
      l10n.t("Allocator"),
      l10n.t(
        "Allocator, which takes memory from the operating system and hands it out; below it, its carriers with the most free memory",
      ),
    ),
    carriersBytes: column(
      l10n.t("Carriers"),
      l10n.t("Length of its carriers: address space, of which not all needs to be in memory"),
    ),
    resident: column(l10n.t("In memory"), l10n.t("The part of its carriers that is in memory")),
    blocks: column(l10n.t("Blocks"), l10n.t("Memory that it has handed out and that is in use")),
    used: column(l10n.t("Used"), l10n.t("Blocks as a share of the carriers")),
    free: column(l10n.t("Free"), l10n.t("In carriers, outside blocks")),
    largestFree: column(l10n.t("Largest free"), l10n.t("The largest free block")),
    fragmentation: column(
      l10n.t("Fragmentation"),
      l10n.t(
        "(free - largest free) / free: 0 if all free memory is one piece, close to 1 if it is in many small pieces",
      ),
    ),
    carriers: column(l10n.t("Number"), l10n.t("Number of its carriers")),
    pooled: column(l10n.t("Pooled"), l10n.t("Number of its carriers that its instances have offered to others")),
    oneBlock: column(l10n.t("Of one block"), l10n.t("The part in carriers with a single block")),
  },
  carrierAt: (address: string) => l10n.t("carrier at {0}", address),

  map: l10n.t("Map of carriers"),
  mapHelp: l10n.t(
    "Each strip is a carrier: its length is the size, its coloured part the used memory. Arrow keys move between carriers; the table below has the same figures.",
  ),
  mapLegendFree: l10n.t("free"),
  mapLegendUsed: l10n.t("in use"),
  mapLegendUnknown: l10n.t("not known"),
  mapScale: (bytes: string) => l10n.t("100 pixels are {0}", bytes),
  group: (name: string, carriers: number, bytes: string) =>
    carriers === 1
      ? l10n.t("{0} · 1 carrier · {1}", name, bytes)
      : l10n.t("{0} · {1} carriers · {2}", name, count(carriers), bytes),
  carrierText: (allocator: string, address: string, bytes: string, used: string, largest: string) =>
    l10n.t(
      "{0}, carrier at {1}: {2}, of which {3} in use; largest free block {4}",
      allocator,
      address,
      bytes,
      used,
      largest,
    ),
  oneBlockText: (allocator: string, address: string, bytes: string, used: string) =>
    l10n.t("{0}, carrier at {1} of one block: {2}, of which {3} in use", allocator, address, bytes, used),
  noCarriers: l10n.t("No carriers were found."),
  carrierGrid: l10n.t("Carriers"),
  carrierColumns: {
    allocator: column(l10n.t("Allocator"), l10n.t("Owning allocator")),
    address: column(l10n.t("Address"), l10n.t("Its start")),
    bytes: column(l10n.t("Size"), l10n.t("Its length in bytes")),
    usedBytes: column(l10n.t("In use"), l10n.t("Its part in blocks")),
    used: column(l10n.t("Used"), l10n.t("Share of it that is in blocks")),
    free: column(l10n.t("Free"), l10n.t("Its part outside blocks")),
    largestFree: column(l10n.t("Largest free"), l10n.t("The largest free block")),
    oneBlock: column(l10n.t("Kind"), l10n.t("Whether it has a single block or space for many")),
  },
  oneBlock: l10n.t("one block"),
  manyBlocks: l10n.t("many blocks"),

  trendOf: {
    sizes: l10n.t("In memory, in carriers, in blocks, over time"),
    kinds: l10n.t("Blocks by purpose, over time"),
  },
  trendSummary: (parts: string) => l10n.t("Lines over time: {0}. The table below has the figures.", parts),
  series: {
    rss: l10n.t("In memory (RSS)"),
    carriers: l10n.t("Carriers"),
    blocks: l10n.t("Blocks"),
    binary: l10n.t("Binaries"),
    ets: l10n.t("ETS"),
    heaps: l10n.t("Heaps of processes"),
    outside: l10n.t("Outside all allocators (malloc, NIFs, stacks of threads)"),
  } satisfies Record<TrendSeries, string>,
  trendTable: l10n.t("Changes since the panel opened"),
  trendColumns: {
    series: l10n.t("What"),
    first: l10n.t("At first"),
    now: l10n.t("Now"),
    change: l10n.t("Change"),
    least: l10n.t("Least"),
    most: l10n.t("Most"),
  },
  trendSpan: (looks: number, from: string, to: string) =>
    looks === 1 ? l10n.t("1 snapshot, {0}", to) : l10n.t("{0} snapshots kept, from {1} to {2}", count(looks), from, to),

  etsGrid: l10n.t("ETS tables"),
  etsColumns: {
    name: column(l10n.t("Table"), l10n.t("The name with which it was created")),
    owner: column(l10n.t("Owner"), l10n.t("The process that owns it: the table ends with it")),
    type: column(l10n.t("Type"), l10n.t("Kind of table")),
    protection: column(l10n.t("Protection"), l10n.t("Processes that may read and write it")),
    items: column(l10n.t("Objects"), l10n.t("Number of its objects")),
    bytes: column(l10n.t("Size"), l10n.t("Its size; ets:info/1 reports it in words")),
    grownItems: column(
      l10n.t("Objects since"),
      l10n.t(
        "Change of its number of objects since the panel opened; empty if several tables have the same name, owner and type",
      ),
    ),
    grownBytes: column(
      l10n.t("Size since"),
      l10n.t("Change of its size since the panel opened; empty if several tables have the same name, owner and type"),
    ),
  },
  unnamed: l10n.t("not named"),
  unnamedHelp: l10n.t("The table cannot be accessed by this name"),
  isNew: l10n.t("new"),
  isNewHelp: l10n.t("Created since the panel opened"),
  filter: l10n.t("Filter by name, owner or type"),
  etsStatus: (shown: number, all: number) =>
    shown === all
      ? all === 1
        ? l10n.t("1 table")
        : l10n.t("{0} tables", count(all))
      : l10n.t("{0} of {1} tables", count(shown), count(all)),
  /** `changed`: tables that are not shown since they changed on every reading. */
  noTables: (changed: number) =>
    changed === 0
      ? l10n.t("This VM has no ETS tables.")
      : changed === 1
        ? l10n.t("No ETS table is shown: 1 changed on every reading.")
        : l10n.t("No ETS table is shown: {0} changed on every reading.", count(changed)),
  noMatch: l10n.t("No table fits the filter."),

  codeGrid: l10n.t("Code by module"),
  codeColumns: {
    module: column(l10n.t("Module"), l10n.t("The module whose code it is")),
    bytes: column(l10n.t("Size"), l10n.t("Size of its code as loaded")),
    literals: column(l10n.t("Literals"), l10n.t("Its constants, which are not in its code")),
    share: column(l10n.t("Share"), l10n.t("Its share of all loaded code")),
  },
  codeFilter: l10n.t("Filter by module"),
  codeStatus: (shown: number, all: number) =>
    shown === all
      ? all === 1
        ? l10n.t("1 module")
        : l10n.t("{0} modules", count(all))
      : l10n.t("{0} of {1} modules", count(shown), count(all)),
  noCode: l10n.t("The code size of each module is unknown for this VM."),
  noModule: l10n.t("No module fits the filter."),
} as const;
