// Everything that crosses between the extension host and the panel of processes.

import type {
  ProcessColumn,
  ProcessGrouping,
  ProcessLine,
  ProcessLook,
  RejectedEntries,
} from "../protocol.generated.js";
import type { InsideProblem, KeepVm, KeptVm, NodeFigures, VmHead } from "./inside.js";

export const PROCESS_COLUMNS: readonly ProcessColumn[] = [
  "pid",
  "name",
  "current",
  "status",
  "mailbox",
  "memory",
  "heapUsed",
  "binaries",
  "reductions",
  "collections",
  "parent",
];
export const PROCESS_GROUPINGS: readonly ProcessGrouping[] = [
  "none",
  "name",
  "initialCall",
  "current",
  "supervisor",
  "application",
  "tree",
];
export const COPY_FORMATS = ["text", "json", "csv"] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

/** Which processes the reader wants, in which order. */
export interface ProcessView {
  readonly sort: ProcessColumn;
  readonly descending: boolean;
  readonly filter: string;
  readonly grouping: ProcessGrouping;
  /** Keys of lines that are open. */
  readonly open: readonly string[];
  readonly onlyAlarming: boolean;
}

/** The part of the list that the page wants. */
export interface LineWindow {
  readonly first: number;
  readonly limit: number;
}

/** A line of the list. Texts are cut and made visible by the host; `key` is as the helper gave it, to be sent back and never shown. */
export type ShownLine = Pick<
  ProcessLine,
  | "key"
  | "level"
  | "position"
  | "siblings"
  | "open"
  | "group"
  | "count"
  | "mailbox"
  | "mailboxAtLeast"
  | "memory"
  | "memoryAtLeast"
  | "messageBytes"
  | "heapWords"
  | "heapUsedWords"
  | "binaryBytes"
  | "reductionsPerSecond"
  | "collectionsPerSecond"
  | "alarming"
  | "supervisor"
  | "application"
> & { readonly process: ShownProcess | null; readonly inC: ShownInC | null };

/** C code in which the thread of a process sleeps. */
export interface ShownInC {
  /** Empty when unknown. */
  readonly function: string;
  readonly thread: string;
  readonly seconds: number;
}

export interface ShownProcess {
  readonly pid: string;
  readonly name: string;
  readonly label: string;
  /** False when it may have a label that could not be read. */
  readonly labelKnown: boolean;
  readonly initialCall: string;
  /** Empty while it runs. */
  readonly current: string;
  /** `file.erl:12`; empty when unknown. */
  readonly place: string;
  readonly status: string;
  readonly priority: string;
  readonly reductions: number;
  readonly minorGcs: number;
  readonly parent: string;
}

/** A part of the list, of one look. */
export interface ProcessList {
  readonly type: "list";
  /** The view that this list answers. */
  readonly view: ProcessView;
  readonly first: number;
  readonly lines: readonly ShownLine[];
  /** Lines in all. */
  readonly length: number;
  readonly processes: number;
  readonly leftOut: number;
  readonly matching: number;
  /** Lines, all at the end, without a known value in the sorted column; an older helper does not count them. */
  readonly withoutValue?: number;
  readonly alarming: number;
  /** Others of which that is not known, as not all of a value was read; an older helper does not count them. */
  readonly mayAlarm?: number;
  readonly rejected: RejectedEntries;
  readonly look: ProcessLook;
  /** When the look ended, by this machine's clock. */
  readonly lookedUnixMs: number;
  /** The limits from which a process is alarming; null where there is none. */
  readonly alarms: { readonly mailbox: number | null; readonly memory: number | null };
}

export interface ShownFrame {
  readonly function: string;
  /** `file.erl:12`; empty when unknown. */
  readonly place: string;
  /** How many such frames follow each other. */
  readonly times: number;
}

/** The contents of a process's heap, and the roots that keep them alive. Sizes are words of 8 bytes. */
export interface ShownHeap {
  readonly usedWords: number;
  readonly liveWords: number;
  /** More messages wait than are followed, so more may live. */
  readonly liveWordsAtLeast: boolean;
  readonly stackWords: number;
  readonly mailbox: number;
  /** `count`: the number of roots of that name; only a single one has parts. */
  readonly roots: readonly {
    readonly root: string;
    readonly count: number;
    readonly words: number;
    readonly parts: readonly { readonly part: string; readonly words: number }[];
  }[];
  readonly kinds: readonly { readonly kind: string; readonly count: number; readonly words: number }[];
  readonly stack: readonly ShownFrame[];
  /** Messages by shape, and the shapes of the first and last ones. */
  readonly messages: {
    readonly shapes: readonly { readonly shape: string; readonly count: number }[];
    readonly first: readonly string[];
    readonly last: readonly string[];
    readonly unread: number;
  };
  readonly dictionary: readonly string[];
  /** Null when they are not known. */
  readonly links: readonly string[] | null;
  readonly monitors: readonly string[] | null;
  /** How many there are, those that are not sent among them. */
  readonly linksCount: number;
  readonly monitorsCount: number;
  /** Frames in the middle of the stack that are not sent, and where in `stack` they would be. */
  readonly framesLeftOut: number;
  readonly framesLeftOutAt: number;
  /** Roots, kinds, shapes and keys beyond those that are sent. */
  readonly leftOut: number;
}

/** The processes of a group whose heaps were read. */
export interface GroupHeaps {
  readonly processes: number;
  /** How many the group has. */
  readonly of: number;
  /** Words of their terms. */
  readonly usedWords: number;
  /** Of these, what a full collection would leave. */
  readonly liveWords: number;
  readonly liveWordsAtLeast: boolean;
}

export type ToWebview =
  | { readonly type: "vm"; readonly vm: VmHead }
  | KeepVm
  /**
   * The window was restored. This is the VM that was shown before, and its view; it is not read until the user requests
   * that.
   */
  | { readonly type: "restored"; readonly vm: VmHead; readonly view: ProcessView }
  /** Leads to one process: the list has it alone, and its heap is read. */
  | { readonly type: "goTo"; readonly process: string; readonly view: ProcessView }
  | { readonly type: "attaching" }
  | ProcessList
  | NodeFigures
  /** The VM cannot be read (any longer); the last list stays. */
  | { readonly type: "problem"; readonly problem: InsideProblem }
  | { readonly type: "heap"; readonly key: string; readonly takenUnixMs: number; readonly heap: ShownHeap }
  | { readonly type: "heapProblem"; readonly key: string; readonly problem: InsideProblem }
  /** A large heap is being read: its size, and how much of it was read, 0 to 100. */
  | { readonly type: "heapProgress"; readonly key: string; readonly bytes: number; readonly percent: number }
  | { readonly type: "groupHeaps"; readonly key: string; readonly takenUnixMs: number; readonly heaps: GroupHeaps }
  /** Reading it, or those of a group, has stopped, as the page requested. */
  | { readonly type: "heapStopped"; readonly key: string }
  /** No VM is chosen. */
  | { readonly type: "noTarget"; readonly text: string };

export type ToHost =
  | { readonly type: "ready"; readonly saved: Partial<SavedState> }
  | { readonly type: "view"; readonly view: ProcessView; readonly window: LineWindow }
  | { readonly type: "window"; readonly window: LineWindow }
  /** The process that it was to lead to is shown, or is not there. */
  | { readonly type: "arrived" }
  | { readonly type: "pause"; readonly paused: boolean }
  /** Also: attach once more, after a problem or in a window that was restored. */
  | { readonly type: "lookNow" }
  | { readonly type: "pick" }
  | { readonly type: "heap"; readonly key: string }
  /** The heaps of some processes of a group. */
  | { readonly type: "groupHeaps"; readonly key: string }
  /** The heap that is being read is no longer needed. */
  | { readonly type: "stopHeap" }
  /** Where the process of a line is. */
  | { readonly type: "openLine"; readonly key: string }
  /** A frame of the heap that was sent last. */
  | { readonly type: "openFrame"; readonly frame: number }
  | { readonly type: "copyList"; readonly format: CopyFormat }
  | { readonly type: "copyText"; readonly text: string };

export interface SavedState {
  readonly view: ProcessView;
  readonly hidden: readonly string[];
  /** Absent as long as none was shown. */
  readonly vm?: KeptVm;
}
