// Reads a filter out of a page's message or a restored state, either of which may hold anything.

import type { FlameOptions, SampleFilter } from "../../../../contract/capture-answers.js";
import { GROUPINGS } from "../../../../contract/flame-data.js";
import type { SampleClass } from "../../../../contract/protocol.generated.js";

/** What does not restrict is left out, so that two equal filters look the same. */
export function readFilter(value: unknown): SampleFilter {
  if (typeof value !== "object" || value === null) return {};
  const from = value as Record<string, unknown>;
  const nodes = texts(from["nodes"]);
  const schedulers = texts(from["schedulers"]);
  const processes = texts(from["processes"]);
  const classes = texts(from["classes"]) as readonly SampleClass[];
  const timeMs = range(from["timeMs"]);
  const focus = text(from["focus"]);
  const ignore = text(from["ignore"]);
  return {
    ...(nodes.length > 0 && { nodes }),
    ...(schedulers.length > 0 && { schedulers }),
    ...(processes.length > 0 && { processes }),
    ...(classes.length > 0 && { classes }),
    ...(timeMs && { timeMs }),
    ...(focus !== "" && { focus }),
    ...(ignore !== "" && { ignore }),
  };
}

export function readOptions(value: unknown): FlameOptions {
  const from = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const on = (name: keyof FlameOptions) => from[name] === true;
  return {
    inverted: on("inverted"),
    hideNative: on("hideNative"),
    hideKernel: on("hideKernel"),
    collapseRecursion: from["collapseRecursion"] !== false,
    groupBy: GROUPINGS.find((grouping) => grouping === from["groupBy"]) ?? "none",
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((value) => typeof value === "string") : [];
}

function range(value: unknown): { readonly from: number; readonly to: number } | null {
  if (typeof value !== "object" || value === null) return null;
  const { from, to } = value as Record<string, unknown>;
  return typeof from === "number" && typeof to === "number" && from >= 0 && to > from ? { from, to } : null;
}
