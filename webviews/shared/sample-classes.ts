// What samples were doing, in words and in what can be asked about it.

import type { SampleClass } from "../../extension/src/protocol.generated.js";

export interface ClassWords {
  readonly label: string;
  readonly help: string;
  /** What the blame panel asks for; empty where C code is not caused by anybody in particular. */
  readonly query: string;
}

export const CLASS_WORDS: Record<SampleClass, ClassWords> = {
  erlang: { label: "Erlang", help: "Erlang code itself", query: "" },
  gc: { label: "GC", help: "Garbage collection of process heaps", query: "gc" },
  copy: { label: "Copy", help: "Copying terms: messages, spawn arguments, ETS reads and writes", query: "copy" },
  compare: { label: "Compare", help: "Comparing terms", query: "compare" },
  ets: { label: "ETS", help: "ETS tables, without copying", query: "ets" },
  binary: { label: "Binary", help: "Building, matching and converting binaries", query: "binary" },
  lock: { label: "Lock", help: "Taking and waiting for locks of the VM", query: "lock" },
  alloc: { label: "Alloc", help: "Allocating and freeing memory", query: "alloc" },
  nif: { label: "NIF", help: "Native functions of libraries", query: "nif:" },
  bif: { label: "BIF", help: "Built-in functions", query: "" },
  runtime: { label: "Runtime", help: "Other C code of the VM on behalf of a process", query: "" },
  port: { label: "Port", help: "Ports and drivers", query: "" },
  scheduler: { label: "Scheduler", help: "Finding the next process to run, polling, timers", query: "" },
  kernel: { label: "Kernel", help: "System calls and faults", query: "" },
  other_thread: { label: "Other threads", help: "Threads of the VM that are no schedulers", query: "" },
  idle: { label: "Idle", help: "Schedulers with nothing to do", query: "" },
};

export const UNKNOWN_CLASS: ClassWords = { label: "Unclassified", help: "The capture does not tell what these samples were doing", query: "" };

export function classWords(sampleClass: SampleClass | null): ClassWords {
  return sampleClass !== null && Object.hasOwn(CLASS_WORDS, sampleClass) ? CLASS_WORDS[sampleClass] : UNKNOWN_CLASS;
}

/** Name of the style that colours it. */
export function classStyle(sampleClass: SampleClass | null): string {
  return sampleClass !== null && Object.hasOwn(CLASS_WORDS, sampleClass) ? `class-${sampleClass}` : "class-unknown";
}
