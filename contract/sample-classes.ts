// What a sample can have been doing.

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
  "kernel",
  "other_thread",
] as const satisfies readonly SampleClass[];
