// What samples can have been doing: the classes of the file format, and how they are called wherever a user sees them.

import type { Words } from "./plain-text.js";
import type { SampleClass } from "./protocol.generated.js";

/** Every class, in the order of the file format. */
export const SAMPLE_CLASSES = [
  "erlang",
  "gc",
  "copy",
  "compare",
  "ets",
  "binary",
  "lock",
  "alloc",
  "nif",
  "bif",
  "runtime",
  "port",
  "scheduler",
  "idle",
  "busy_wait",
  "kernel",
  "other_thread",
] as const satisfies readonly SampleClass[];

export interface ClassWords {
  /** Where there is little room. */
  readonly label: string;
  /** In lists, hovers and sentences. */
  readonly name: string;
  readonly help: string;
}

/** How classes are called; null is for samples of a capture without classes; classes that other programs made up have the same words. */
export function classWordsOf(words: Words): (sampleClass: SampleClass | null) => ClassWords {
  const known: Record<(typeof SAMPLE_CLASSES)[number], ClassWords> = {
    erlang: { label: words.t("Erlang"), name: words.t("Erlang code"), help: words.t("Erlang code itself") },
    gc: { label: words.t("GC"), name: words.t("Garbage collection"), help: words.t("Garbage collection of process heaps") },
    copy: { label: words.t("Copy"), name: words.t("Copying terms"), help: words.t("Copying terms: messages, spawn arguments, ETS reads and writes") },
    compare: { label: words.t("Compare"), name: words.t("Comparing terms"), help: words.t("Comparing terms") },
    ets: { label: words.t("ETS"), name: words.t("ETS"), help: words.t("ETS tables, without copying") },
    binary: { label: words.t("Binary"), name: words.t("Binaries"), help: words.t("Building, matching and converting binaries") },
    lock: { label: words.t("Lock"), name: words.t("Locks"), help: words.t("Taking and waiting for locks of the VM") },
    alloc: { label: words.t("Alloc"), name: words.t("Memory allocation"), help: words.t("Allocating and freeing memory") },
    nif: { label: words.t("NIF"), name: words.t("NIFs"), help: words.t("Native functions of libraries") },
    bif: { label: words.t("BIF"), name: words.t("Other built-in functions"), help: words.t("Built-in functions that are in no other class") },
    runtime: { label: words.t("Runtime"), name: words.t("Other runtime code"), help: words.t("Other C code of the VM on behalf of a process") },
    port: { label: words.t("Port"), name: words.t("Ports"), help: words.t("Ports and drivers") },
    scheduler: { label: words.t("Scheduler"), name: words.t("Scheduling"), help: words.t("Finding the next process to run, polling, timers, going to sleep and waking up") },
    idle: { label: words.t("Idle"), name: words.t("Idle"), help: words.t("Schedulers with nothing to do") },
    busy_wait: { label: words.t("Busy wait"), name: words.t("Busy wait"), help: words.t("Schedulers that have nothing to run and spin until they do (+sbwt): processor time, but no work") },
    kernel: { label: words.t("Kernel"), name: words.t("Kernel"), help: words.t("System calls and faults") },
    other_thread: { label: words.t("Other threads"), name: words.t("Other threads"), help: words.t("Threads of the VM that are no schedulers") },
  };
  const unknown = { label: words.t("Unclassified"), name: words.t("Unclassified"), help: words.t("The capture does not tell what these samples were doing") };
  return (sampleClass) => (isSampleClass(sampleClass) ? known[sampleClass] : unknown);
}

/** Whether samples of a class are work: a VM that waits does none, also where it spins meanwhile. */
export function isWork(sampleClass: string | null): boolean {
  return sampleClass !== "idle" && sampleClass !== "busy_wait";
}

/** Files of other programs may hold classes that nobody knows. */
export function isSampleClass(sampleClass: string | null): sampleClass is SampleClass {
  return sampleClass !== null && (SAMPLE_CLASSES as readonly string[]).includes(sampleClass);
}

/** What the blame panel asks for a class; empty where the C code is not caused by anybody in particular. */
export function blameQueryOf(sampleClass: SampleClass | null): string {
  switch (sampleClass) {
    case "gc":
    case "copy":
    case "compare":
    case "ets":
    case "binary":
    case "lock":
    case "alloc":
      return sampleClass;
    case "nif":
      return "nif:";
    default:
      return "";
  }
}
