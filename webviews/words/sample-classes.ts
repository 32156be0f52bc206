// What samples were doing, in words and in what can be asked about it.

import type { SampleClass } from "../../contract/protocol.generated.js";
import type { SAMPLE_CLASSES } from "../../contract/sample-classes.js";
import { l10n } from "./l10n.js";

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
  erlang: { label: l10n.t("Erlang"), name: l10n.t("Erlang code"), help: l10n.t("Erlang code itself"), query: "" },
  gc: { label: l10n.t("GC"), name: l10n.t("Garbage collection"), help: l10n.t("Garbage collection of process heaps"), query: "gc" },
  copy: { label: l10n.t("Copy"), name: l10n.t("Copying terms"), help: l10n.t("Copying terms: messages, spawn arguments, ETS reads and writes"), query: "copy" },
  compare: { label: l10n.t("Compare"), name: l10n.t("Comparing terms"), help: l10n.t("Comparing terms"), query: "compare" },
  ets: { label: l10n.t("ETS"), name: l10n.t("ETS"), help: l10n.t("ETS tables, without copying"), query: "ets" },
  binary: { label: l10n.t("Binary"), name: l10n.t("Binaries"), help: l10n.t("Building, matching and converting binaries"), query: "binary" },
  lock: { label: l10n.t("Lock"), name: l10n.t("Locks"), help: l10n.t("Taking and waiting for locks of the VM"), query: "lock" },
  alloc: { label: l10n.t("Alloc"), name: l10n.t("Memory allocation"), help: l10n.t("Allocating and freeing memory"), query: "alloc" },
  nif: { label: l10n.t("NIF"), name: l10n.t("NIFs"), help: l10n.t("Native functions of libraries"), query: "nif:" },
  bif: { label: l10n.t("BIF"), name: l10n.t("BIFs"), help: l10n.t("Built-in functions"), query: "" },
  runtime: { label: l10n.t("Runtime"), name: l10n.t("Runtime"), help: l10n.t("Other C code of the VM on behalf of a process"), query: "" },
  port: { label: l10n.t("Port"), name: l10n.t("Ports"), help: l10n.t("Ports and drivers"), query: "" },
  scheduler: { label: l10n.t("Scheduler"), name: l10n.t("Scheduling"), help: l10n.t("Finding the next process to run, polling, timers"), query: "" },
  kernel: { label: l10n.t("Kernel"), name: l10n.t("Kernel"), help: l10n.t("System calls and faults"), query: "" },
  other_thread: { label: l10n.t("Other threads"), name: l10n.t("Other threads"), help: l10n.t("Threads of the VM that are no schedulers"), query: "" },
  idle: { label: l10n.t("Idle"), name: l10n.t("Idle"), help: l10n.t("Schedulers with nothing to do"), query: "" },
};

const UNKNOWN_CLASS: ClassWords = { label: l10n.t("Unclassified"), name: l10n.t("Unclassified"), help: l10n.t("The capture does not tell what these samples were doing"), query: "" };

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
