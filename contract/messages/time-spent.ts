// Everything that crosses between the extension host and the page of CPU and waits together. Names of others are made visible and cut by the host; times are seconds.

import type { FrameKindName } from "../capture-answers.js";
import type { SchedulersOnline } from "../protocol.generated.js";

/** The processes of one name, all of them together. */
export interface ProcessTime {
  /** Its key in requests. */
  readonly key: string;
  readonly name: string;
  /** By samples. */
  readonly cpu: number;
  /** By looks at the processes: for a message, or suspended. Null when no look has seen one of them. */
  readonly waiting: number | null;
  /** In a run queue. */
  readonly ready: number | null;
  /** On a scheduler, by the same snapshots: processor time once more, from fewer observations. */
  readonly running: number | null;
  /** Processes × seconds: these three, and those that were just ending. */
  readonly present: number | null;
}

/** A function: time that is its own, and time below it too. */
export interface FunctionTime {
  readonly name: string;
  readonly kind: FrameKindName;
  /** `file.erl:12`; empty when not known. */
  readonly place: string;
  readonly cpuSelf: number;
  readonly cpuTotal: number;
  readonly readySelf: number;
  readonly readyTotal: number;
  readonly waitingSelf: number;
  readonly waitingTotal: number;
}

/** The places where a function waits, and the functions that it calls. The most first. */
export interface FunctionDetail {
  readonly name: string;
  /** Innermost functions. */
  readonly waits: readonly NamedTime[];
  readonly calls: readonly NamedTime[];
}

export interface NamedTime {
  readonly name: string;
  readonly seconds: number;
}

/** Both captures, and the facts about all of them. */
export interface TimeSpent {
  readonly pid: number;
  readonly node: string;
  /** Files without their folders. */
  readonly cpuFile: string;
  readonly waitsFile: string;
  readonly startedUnixMs: number;
  /** By then the VM had ended; null when it was there at the end of the looks. */
  readonly endedUnixMs: number | null;
  readonly looks: number;
  /** The time that the looks stand for. */
  readonly lookedSeconds: number;
  /** How much of that has samples. */
  readonly sampledSeconds: number;
  readonly processes: readonly ProcessTime[];
  /** Of all processes, as above. */
  readonly all: ProcessTime;
  /** Processor time of no process: schedulers without one, ports, other threads. */
  readonly noProcessCpu: number;
  /** Processor time of processes that no look has seen, which are called as their samples call them. */
  readonly unseenCpu: number;
  /** Which schedulers might run at the end; null where that is not known. */
  readonly schedulers: SchedulersOnline | null;
}

/** Columns that a table may be copied in. */
export type TimeTable = "processes" | "functions";

export type ToWebview =
  | { readonly type: "time"; readonly spent: TimeSpent; readonly uris: SavedPair }
  /** `process` is the key of the only one that counts; null for all. */
  | { readonly type: "functions"; readonly process: string | null; readonly rows: readonly FunctionTime[] }
  | { readonly type: "detail"; readonly detail: FunctionDetail }
  /** Nothing to show: `text` gives the reason. */
  | { readonly type: "none"; readonly text: string };

export type ToHost =
  | { readonly type: "ready" }
  | { readonly type: "functionsOf"; readonly process: string | null }
  | { readonly type: "detailOf"; readonly functionName: string; readonly process: string | null }
  | { readonly type: "openSource"; readonly functionName: string }
  /** The flame graph of one of both captures, at a function or with the samples of a process alone. */
  | {
      readonly type: "flameGraph";
      readonly of: "cpu" | "waits";
      readonly functionName?: string;
      readonly process?: string;
    }
  | { readonly type: "copyText"; readonly text: string }
  | { readonly type: "copyCsv"; readonly table: TimeTable; readonly process: string | null }
  /** To watch the same VM once more; another one where there is none. */
  | { readonly type: "again" }
  /** To choose two captures. */
  | { readonly type: "choose" };

/** Addresses of both files. */
export interface SavedPair {
  readonly cpu: string;
  readonly waits: string;
}

/** The state that the editor keeps with the panel. */
export interface SavedState extends SavedPair {
  readonly tab: TimeTable;
}
