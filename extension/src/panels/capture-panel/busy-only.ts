// The samples that shares are of where idle ones do not count. No vscode in here.

import type { SampleFilter } from "../../../../contract/capture-answers.js";
import { isWork } from "../../../../contract/sample-classes.js";
import type { Capture } from "../../capture/questions.js";

/** Leaves out idle samples; undefined when there are none, which is cheaper to count. */
export function busyOnly(capture: Pick<Capture, "totals" | "classSplit">): SampleFilter | undefined {
  if (capture.totals.busy === capture.totals.samples) return undefined;
  const classes = capture.classSplit().map(({ sampleClass }) => sampleClass ?? "");
  return { classes: classes.filter(isWork) };
}
