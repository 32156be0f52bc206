// Kinds of call tracing that `gt_traced` and `gt_traced_last` can begin, each with the first release that has it.

/** @typedef {{kind: string, since: number}} TracingKind */

/** Three kinds of frames on one stack. @type {TracingKind} */
export const TOGETHER = { kind: "together", since: 23 };

/** @type {TracingKind[]} */
export const ONE_BY_ONE = [
  { kind: "return_trace", since: 23 },
  { kind: "exception_trace", since: 23 },
  { kind: "return_to", since: 23 },
  { kind: "call_time", since: 23 },
  { kind: "call_count", since: 23 },
  { kind: "call_memory", since: 26 },
  { kind: "session", since: 27 },
];

/** Of two functions that call each other last. Each leaves frames of its own below such a call. */
export const LAST_CALLS = ["return_trace", "return_to"];
