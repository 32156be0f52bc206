// The possible activities of samples: the classes of the file format, and their names wherever a user sees them.

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
  /** Inside a sentence. */
  readonly within: string;
  readonly help: string;
}

/** How classes are called; null is for samples of a capture without classes; classes that other programs made up have the same words. */
export function classWordsOf(words: Words): (sampleClass: SampleClass | null) => ClassWords {
  const known: Record<(typeof SAMPLE_CLASSES)[number], ClassWords> = {
    erlang: {
      label: words.t("Erlang"),
      name: words.t("Erlang code"),
      within: words.t("Erlang code"),
      help: words.t("Erlang code itself"),
    },
    gc: {
      label: words.t("GC"),
      name: words.t("Garbage collection"),
      within: words.t("garbage collection"),
      help: words.t("Garbage collection of process heaps"),
    },
    copy: {
      label: words.t("Copy"),
      name: words.t("Copying terms"),
      within: words.t("copying terms"),
      help: words.t("Copying terms: messages, spawn arguments, ETS reads and writes"),
    },
    compare: {
      label: words.t("Compare"),
      name: words.t("Comparing terms"),
      within: words.t("comparing terms"),
      help: words.t("Comparing terms"),
    },
    ets: {
      label: words.t("ETS"),
      name: words.t("ETS"),
      within: words.t("ETS"),
      help: words.t("ETS tables, without copying"),
    },
    binary: {
      label: words.t("Binary"),
      name: words.t("Binaries"),
      within: words.t("work on binaries"),
      help: words.t("Building, matching and converting binaries"),
    },
    lock: {
      label: words.t("Lock"),
      name: words.t("Locks"),
      within: words.t("locks"),
      help: words.t("Taking and waiting for locks of the VM"),
    },
    alloc: {
      label: words.t("Alloc"),
      name: words.t("Memory allocation"),
      within: words.t("memory allocation"),
      help: words.t("Allocating and freeing memory"),
    },
    nif: {
      label: words.t("NIF"),
      name: words.t("NIFs"),
      within: words.t("NIFs"),
      help: words.t("Native functions of libraries"),
    },
    bif: {
      label: words.t("BIF"),
      name: words.t("Other built-in functions"),
      within: words.t("built-in functions"),
      help: words.t("Built-in functions that are in no other class"),
    },
    runtime: {
      label: words.t("Runtime"),
      name: words.t("Other runtime code"),
      within: words.t("runtime code"),
      help: words.t("Other C code of the VM on behalf of a process"),
    },
    port: {
      label: words.t("Port"),
      name: words.t("Ports"),
      within: words.t("ports"),
      help: words.t("Ports and drivers"),
    },
    scheduler: {
      label: words.t("Scheduler"),
      name: words.t("Scheduling"),
      within: words.t("scheduling"),
      help: words.t("Finding the next process to run, polling, timers, going to sleep and waking up"),
    },
    idle: {
      label: words.t("Idle"),
      name: words.t("Idle"),
      within: words.t("idle"),
      help: words.t("Schedulers with nothing to do"),
    },
    busy_wait: {
      label: words.t("Busy wait"),
      name: words.t("Busy wait"),
      within: words.t("busy wait"),
      help: words.t("Schedulers that have nothing to run and spin until they do (+sbwt): processor time, but no work"),
    },
    kernel: {
      label: words.t("Kernel"),
      name: words.t("Kernel"),
      within: words.t("kernel work"),
      help: words.t("System calls and faults"),
    },
    other_thread: {
      label: words.t("Other threads"),
      name: words.t("Other threads"),
      within: words.t("other threads"),
      help: words.t("Threads of the VM that are not schedulers"),
    },
  };
  const unknown = {
    label: words.t("Unclassified"),
    name: words.t("Unclassified"),
    within: words.t("unclassified work"),
    help: words.t("The capture does not show what these samples were doing"),
  };
  return (sampleClass) => (isSampleClass(sampleClass) ? known[sampleClass] : unknown);
}

/** Whether samples of a class are work: a VM that waits does none, even while it spins. */
export function isWork(sampleClass: string | null): boolean {
  return sampleClass !== "idle" && sampleClass !== "busy_wait";
}

/** Files of other programs may contain unknown classes. */
export function isSampleClass(sampleClass: string | null): sampleClass is SampleClass {
  return sampleClass !== null && (SAMPLE_CLASSES as readonly string[]).includes(sampleClass);
}

/** The query of the blame panel for a class; empty where the C code has no particular cause. */
export function blameQueryOf(sampleClass: SampleClass | null): string {
  switch (sampleClass) {
    case "gc":
    case "copy":
    case "compare":
    case "ets":
    case "binary":
    case "lock":
    case "alloc":
    case "port":
      return sampleClass;
    case "nif":
      return "nif:";
    default:
      return "";
  }
}
