// Everything that crosses between the extension host and the panel of memory.

import type { BinariesResult, CarrierPlace, MemoryLook, MemoryResult } from "../protocol.generated.js";
import type { InsideProblem, KeepVm, KeptVm, NodeFigures, VmHead } from "./inside.js";
import type { Sorting } from "./sorting.js";

/** How a table has changed since the panel opened. */
export interface TableGrowth {
  readonly items: number;
  readonly bytes: number;
  /** It was made since. */
  readonly isNew: boolean;
}

/**
 * One snapshot, as far as the trend shows it. Bytes; null where the kernel does not report them, and where the VM does
 * not manage the memory.
 */
export interface TrendPoint {
  readonly atUnixMs: number;
  readonly rss: number | null;
  readonly carriers: number;
  readonly blocks: number;
  readonly binary: number | null;
  readonly ets: number | null;
  readonly heaps: number | null;
  /** In memory, in no file and in no carrier, without segments that the VM keeps: of NIFs, drivers and the C library. */
  readonly outside: number | null;
}

export type TrendSeries = Exclude<keyof TrendPoint, "atUnixMs">;

/** Names of others are made visible and cut by the host. */
export interface MemoryShown {
  readonly memory: MemoryResult;
  readonly carriers: readonly CarrierPlace[];
  readonly carriersLeftOut: number;
  readonly look: MemoryLook;
  /** In the order of `memory.ets`; null where tables cannot be distinguished. */
  readonly growth: readonly (TableGrowth | null)[];
  readonly node: NodeFigures["node"];
  /** The oldest first; the last one is this look. */
  readonly trend: readonly TrendPoint[];
  readonly takenUnixMs: number;
}

/** A snapshot of the binaries. Names of others are made visible and cut by the extension host. */
export interface BinariesShown {
  readonly result: BinariesResult;
  readonly takenUnixMs: number;
}

/** Binaries are read on request, and not each time. */
export interface BinariesState {
  /** A look is under way. */
  readonly looking: boolean;
  /** The last one that came to an end; null when none did. */
  readonly shown: BinariesShown | null;
}

/** Tables of binaries. */
export type BinaryTableId = "binaryHolders" | "binaryList" | "binariesKept" | "binariesAllocated";

/** Tables that can be copied. */
export type CopiedTable = "allocators" | "carriers" | "ets" | "trend" | "code" | BinaryTableId;

/** Tables whose sorting and filter are kept. */
export type KeptTableId = Exclude<CopiedTable, "trend">;

/** How a table is listed. */
export interface KeptTableView {
  readonly sorting: Sorting;
  /** As it was typed; empty where nothing is filtered. */
  readonly filter: string;
}

export type ToWebview =
  | { readonly type: "look"; readonly head: VmHead; readonly shown: MemoryShown; readonly paused: boolean }
  | KeepVm
  /** The window was restored. This is the VM that was shown before; it is not read until the user requests that. */
  | { readonly type: "restored"; readonly head: VmHead }
  | { readonly type: "binaries"; readonly state: BinariesState }
  /** The first look is under way. */
  | { readonly type: "attaching"; readonly head: VmHead }
  /** The last snapshot stays visible. */
  | { readonly type: "problem"; readonly head: VmHead; readonly problem: InsideProblem }
  | { readonly type: "paused"; readonly paused: boolean }
  /** No VM is chosen. */
  | { readonly type: "noTarget" };

export type ToHost =
  | { readonly type: "ready"; readonly saved: Partial<SavedState> }
  | { readonly type: "pause"; readonly paused: boolean }
  /** Looks at once, also while paused. */
  | { readonly type: "lookNow" }
  /** Looks at binaries once. */
  | { readonly type: "binaries" }
  /** Gives up the snapshot of the binaries that is under way. */
  | { readonly type: "stopBinaries" }
  /** After a problem: looks again, for a VM that has ended at the one of its name that runs now. In a window that was restored: looks at the VM of before. */
  | { readonly type: "again" }
  /** Leads to an Erlang process, as the node prints it, in the panel of processes. */
  | { readonly type: "showProcess"; readonly process: string }
  | { readonly type: "pick" }
  | { readonly type: "copyText"; readonly text: string }
  /** The whole look, with the names of `extrospect memory --json`. */
  | { readonly type: "copyJson" }
  | { readonly type: "copyCsv"; readonly table: CopiedTable };

export interface SavedState {
  readonly tab: string;
  /** Which of the tables of binaries was in sight. */
  readonly binaryTable: BinaryTableId;
  readonly tables: Partial<Record<KeptTableId, KeptTableView>>;
  /** Absent as long as none was shown. */
  readonly vm?: KeptVm;
}
