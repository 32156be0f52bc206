// What samples were doing, in words and in what can be asked about it.

import type { SAMPLE_CLASSES } from "../../extension/src/capture/label-sets.js";
import type { SampleClass } from "../../extension/src/protocol.generated.js";

export interface ClassWords {
  /** Where there is little room. */
  readonly label: string;
  /** In a list to choose from. */
  readonly name: string;
  readonly help: string;
  /** What the blame panel asks for; empty where C code is not caused by anybody in particular. */
  readonly query: string;
}

/** Each class of the file format, no more and no less. */
const CLASS_WORDS: Record<(typeof SAMPLE_CLASSES)[number], ClassWords> = {
  erlang: { label: "Erlang", name: "Erlang code", help: "Erlang code itself", query: "" },
  gc: { label: "GC", name: "Garbage collection", help: "Garbage collection of process heaps", query: "gc" },
  copy: { label: "Copy", name: "Copying terms", help: "Copying terms: messages, spawn arguments, ETS reads and writes", query: "copy" },
  compare: { label: "Compare", name: "Comparing terms", help: "Comparing terms", query: "compare" },
  ets: { label: "ETS", name: "ETS", help: "ETS tables, without copying", query: "ets" },
  binary: { label: "Binary", name: "Binaries", help: "Building, matching and converting binaries", query: "binary" },
  lock: { label: "Lock", name: "Locks", help: "Taking and waiting for locks of the VM", query: "lock" },
  alloc: { label: "Alloc", name: "Memory allocation", help: "Allocating and freeing memory", query: "alloc" },
  nif: { label: "NIF", name: "NIFs", help: "Native functions of libraries", query: "nif:" },
  bif: { label: "BIF", name: "BIFs", help: "Built-in functions", query: "" },
  runtime: { label: "Runtime", name: "Runtime", help: "Other C code of the VM on behalf of a process", query: "" },
  port: { label: "Port", name: "Ports", help: "Ports and drivers", query: "" },
  scheduler: { label: "Scheduler", name: "Scheduling", help: "Finding the next process to run, polling, timers", query: "" },
  kernel: { label: "Kernel", name: "Kernel", help: "System calls and faults", query: "" },
  other_thread: { label: "Other threads", name: "Other threads", help: "Threads of the VM that are no schedulers", query: "" },
  idle: { label: "Idle", name: "Idle", help: "Schedulers with nothing to do", query: "" },
};

const UNKNOWN_CLASS: ClassWords = { label: "Unclassified", name: "Unclassified", help: "The capture does not tell what these samples were doing", query: "" };

/** Null are samples of a capture that does not tell. */
export function classWords(sampleClass: SampleClass | null): ClassWords {
  return isSampleClass(sampleClass) ? CLASS_WORDS[sampleClass] : UNKNOWN_CLASS;
}

/** Name of the style that colours it. */
export function classStyle(sampleClass: SampleClass | null): string {
  return isSampleClass(sampleClass) ? `class-${sampleClass}` : "class-unknown";
}

/** Files of other programs may hold classes that nobody knows. */
export function isSampleClass(sampleClass: string | null): sampleClass is SampleClass {
  return sampleClass !== null && Object.hasOwn(CLASS_WORDS, sampleClass);
}
