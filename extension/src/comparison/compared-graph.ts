// The flame graph of a comparison: the busy samples of both sides, by the normalisation of the comparison.

import type { FlameOptions } from "../../../contract/capture-answers.js";
import type { Comparison } from "../../../contract/editor-module.generated.js";
import type { FlameData } from "../../../contract/flame-data.js";
import { isChange, type GraphShape } from "../../../contract/messages/compare.js";
import { SAMPLE_CLASSES, isWork } from "../../../contract/sample-classes.js";
import { differenceGraph, type DifferenceSide } from "../capture/flame/difference-graph.js";
import type { Capture } from "../capture/questions.js";

/** As the table counts: idle time is in no function. */
const BUSY = { classes: [...SAMPLE_CLASSES.filter(isWork), ""] as const };

type Pooled = readonly { readonly capture: Pick<Capture, "flame"> }[];

export function comparedGraph(
  base: Pooled,
  newer: Pooled,
  { whole, functions, notes, method }: Pick<Comparison, "whole" | "functions" | "notes" | "method">,
  { vanished, ...shape }: GraphShape,
): FlameData {
  // Where one side only has kernel frames, they would all be new or gone.
  const hideKernel = shape.hideKernel || notes.some(({ kind }) => kind === "kernel");
  const options: FlameOptions = { ...shape, hideKernel, groupBy: "none" };
  const renamed = new Map(
    functions.flatMap(({ function: name, base_function: was }) => (was === undefined ? [] : [[was, name]])),
  );
  const side = (captures: Pooled, which: "base" | "new"): DifferenceSide => ({
    graphs: captures.map(({ capture }) => capture.flame(options, BUSY)),
    // All self time is in one function only.
    whole: functions.reduce((sum, { self }) => sum + self[which], 0),
  });
  const unchanged = new Set(
    functions
      .filter(({ self, total }) => !isChange(self.verdict) && !isChange(total.verdict))
      .map((row) => row.function),
  );
  return differenceGraph(side(base, "base"), side(newer, "new"), {
    newName: (name) => renamed.get(name) ?? name,
    mayHaveChanged: (name) => !unchanged.has(name),
    wholeMayHaveChanged: whole === undefined || isChange(whole.verdict),
    spreadPercent: method.spread_pct,
    vanished,
  });
}
