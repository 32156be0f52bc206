// Everything that crosses between the extension host and the page of waits, which shows the processes that wait for
// others.

import type { ProcessorLimits, SchedulersOnline, WaitsGraph } from "../protocol.generated.js";
import type { KeptVm } from "./inside.js";
import type { Standstill } from "./standstill.js";

/** The VM that was watched. Texts are made fit to be shown. */
interface WatchedVm {
  readonly pid: number;
  /** Node name; empty when it is no node. */
  readonly node: string;
  /** The host it runs on, as people call it; empty for this machine. */
  readonly host: string;
}

/** The result of watching waiting processes. Texts are made fit to be shown. */
export interface WaitsSeen {
  readonly head: WatchedVm;
  readonly takenUnixMs: number;
  /** By then the VM had ended; null when it was there at the end of the watch. */
  readonly endedUnixMs: number | null;
  /** How long it was watched. */
  readonly seconds: number;
  readonly looks: number;
  /** Of the last look. */
  readonly processes: number;
  readonly waiting: number;
  /** Those that worked, were in C, or ended during the reading; null where it is not known how many. */
  readonly restless: number | null;
  /** Those that rested, and whose stack could not be read; null where it is not known how many. */
  readonly unread: number | null;
  readonly graph: WaitsGraph;
  /** No more fitted into the capture, so it ended early. */
  readonly full: boolean;
  /** Why nothing of the VM ran at the end; null when it ran. */
  readonly standstill: Standstill | null;
  /** Which schedulers might run at the end; null where that is not known. */
  readonly schedulers: SchedulersOnline | null;
  /** What limited the VM's processors during the watch; null in captures and answers of older helpers. */
  readonly processors: ProcessorLimits | null;
}

export type ToWebview =
  /** `kept` is the state that the editor is to keep with the panel. */
  | { readonly type: "waits"; readonly seen: WaitsSeen; readonly kept: SavedState }
  /**
   * Nothing was watched yet. `problem` is the reason why the graph shown before is not shown again; empty where there
   * was none.
   */
  | { readonly type: "none"; readonly problem: string };

/** The state that the editor keeps with the panel. */
export interface SavedState {
  /** Address of the capture, which contains everything shown. */
  readonly uri: string;
  /** The VM to watch again; null when it is not known where it runs. */
  readonly vm: KeptVm | null;
  /** Not contained in the capture. */
  readonly standstill: Standstill | null;
}

export type ToHost =
  | { readonly type: "ready" }
  /** To watch the same VM once more; another one where there is none. */
  | { readonly type: "again" }
  /** To show the capture of it. */
  | { readonly type: "flameGraph" }
  | { readonly type: "copyText"; readonly text: string };
