// The main finding of a capture: the kind of work that most busy samples are, and the function behind it. No vscode in here.

import type { ClassShare, Attribution } from "../../../../contract/capture-answers.js";
import { blameQueryOf, isWork } from "../../../../contract/sample-classes.js";
import type { Capture } from "../questions.js";

/** A function and its samples. */
export interface HeadlineFunction {
  readonly functionIndex: number;
  readonly samples: number;
}

export interface Headline {
  /** Classes of busy samples, largest first. */
  readonly kinds: readonly ClassShare[];
  /** The function that causes most of the largest class; undefined where no function causes it, or none is known. */
  readonly cause: HeadlineFunction | undefined;
  /** The function with most samples; undefined when none has any. */
  readonly hottest: HeadlineFunction | undefined;
}

/** @param attribution the attribution of `hottest`; with `own` the cause is a function of the user's own code, too */
export function headlineOf(capture: Capture, attribution: Attribution): Headline {
  const kinds = capture
    .classSplit()
    .filter(({ sampleClass, samples }) => isWork(sampleClass) && samples > 0)
    .sort((one, other) => other.samples - one.samples);
  return {
    kinds,
    cause: causeOf(capture, kinds[0], attribution),
    hottest: hottestFunctions(capture, attribution, 1)[0],
  };
}

/** The Erlang functions with most samples, the most first. Looks at each function of the capture once. */
export function hottestFunctions(capture: Capture, attribution: Attribution, most: number): HeadlineFunction[] {
  const hottest: HeadlineFunction[] = [];
  for (const [functionIndex, { kind }] of capture.functions.entries()) {
    // Files of other tools have no Erlang functions: all functions count.
    if (kind !== "erlang" && capture.facts.isOwn) continue;
    const samples = capture.functionCounts(functionIndex)[attribution];
    if (samples === 0 || samples <= (hottest[most - 1]?.samples ?? 0)) continue;
    const place = hottest.findIndex((other) => other.samples < samples);
    hottest.splice(place === -1 ? hottest.length : place, 0, { functionIndex, samples });
    hottest.length = Math.min(hottest.length, most);
  }
  return hottest;
}

function causeOf(
  capture: Capture,
  largest: ClassShare | undefined,
  attribution: Attribution,
): HeadlineFunction | undefined {
  const query = blameQueryOf(largest?.sampleClass ?? null);
  if (query === "") return undefined;
  const { callers } = capture.blame(query, undefined, attribution === "own");
  // A marker, such as that of stacks that are not proven, is no function.
  const first = callers.find(({ functionIndex }) => functionIndex >= 0);
  return first && { functionIndex: first.functionIndex, samples: first.samples };
}
