// Everything that crosses between the extension host and the panel of stacks.

import type {
  FrameKind,
  HaltedTime,
  ProcessorLimits,
  SampleClass,
  SchedulerId,
  SchedulersOnline,
  SchedulerState,
  Trust,
} from "../protocol.generated.js";
import type { Standstill } from "./standstill.js";

/** Names are cut and made visible by the host. */
export interface StackFrame {
  readonly name: string;
  readonly kind: FrameKind;
  readonly place: string;
  readonly object: string;
  /** Whether there is a source line to go to. */
  readonly hasSource: boolean;
}

export interface StackThread {
  readonly threadId: number;
  readonly threadName: string;
  readonly scheduler: SchedulerId | null;
  /** Whether it is a scheduler that may run; null when it is none, and where that is not known. */
  readonly state: SchedulerState | null;
  readonly idle: boolean;
  /** It slept in C code that its process called, for so many seconds at least; else null. */
  readonly sleepsInCSeconds: number | null;
  /** Erlang pid, name or initial call; empty when it ran none. */
  readonly process: string;
  readonly sampleClass: SampleClass | null;
  readonly trust: Trust | null;
  readonly frames: readonly StackFrame[];
  /** Frames beyond those that are sent. */
  readonly leftOut: number;
}

export interface StacksProblem {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** Which VM is meant. */
export interface StacksTarget {
  readonly pid: number;
  /** The host where it runs; empty for this machine. */
  readonly where: string;
}

export type ToWebview =
  /** `standstill`: why nothing of the VM runs; null when it runs. `halted`: a part of the look in which nothing of it ran. */
  | ({
      readonly type: "stacks";
      readonly target: string;
      readonly takenUnixMs: number;
      readonly all: boolean;
      readonly threads: readonly StackThread[];
      readonly standstill: Standstill | null;
      readonly halted: HaltedTime | null;
      /** A process has called `erlang:halt`, or a crash dump is written: the other schedulers are kept from running. */
      readonly ending: boolean;
      /** Null in answers of older helpers. */
      readonly processors: ProcessorLimits | null;
      /** Which schedulers may run; names are made fit to be shown. Null when that is not known. */
      readonly schedulers: SchedulersOnline | null;
    } & StacksTarget)
  | ({ readonly type: "busy" } & StacksTarget)
  | ({ readonly type: "problem"; readonly problem: StacksProblem } & StacksTarget)
  /** The reader did not want to wait. */
  | ({ readonly type: "cancelled" } & StacksTarget)
  /** No process is chosen. */
  | { readonly type: "noTarget"; readonly text: string };

export type ToHost =
  | { readonly type: "ready"; readonly saved: Partial<SavedState> }
  | { readonly type: "refresh"; readonly all: boolean }
  | { readonly type: "cancel" }
  | { readonly type: "pick" }
  /** Where the frame is in the last answer. */
  | { readonly type: "openSource"; readonly thread: number; readonly frame: number }
  | { readonly type: "copyText"; readonly text: string };

export interface SavedState {
  /** 0 for one of another host: nothing connects by itself. */
  readonly pid: number;
  readonly all: boolean;
  readonly auto: boolean;
}
