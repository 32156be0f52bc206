// Figures of the types of samples that are not shown, for hovers and the tooltips of lenses. No vscode in here.

import { wholeOf, type Counts, type PercentOf } from "../../../contract/capture-answers.js";
import type { Words } from "../../../contract/plain-text.js";
import { leastSamples } from "../../../contract/sample-type-words.js";
import type { Capture, TypedAnswers } from "../capture/questions.js";
import { otherTypes } from "../captures/other-types.js";
import { otherTypeText } from "./figures.js";

export interface TypeContext {
  readonly capture: Capture;
  readonly words: Words;
  readonly language: string | undefined;
  /** Figures of fewer samples are marked, where they are numbers of samples. */
  readonly minimumSamples: number;
  readonly percentOf: PercentOf;
}

/** Empty where there is nothing of the type. @param counts of the function or a part of it */
export function typeFigures(
  { type, unit, totals }: TypedAnswers,
  functionIndex: number,
  counts: Counts,
  { capture, words, language, minimumSamples, percentOf }: TypeContext,
): string {
  const own = capture.isOwnCode(functionIndex) ? counts.own : null;
  const whole = { whole: wholeOf(totals, percentOf), seconds: capture.facts.durationMs / 1000 };
  const format = { words, language, minimumSamples: leastSamples(minimumSamples, unit), percentOf, unit };
  return otherTypeText(type, { ...counts, own }, whole, format);
}

/** A text for each type of which the whole function has something. */
export function otherTypesOf(functionIndex: number, context: TypeContext): string[] {
  return otherTypes(context.capture)
    .map((answers) => typeFigures(answers, functionIndex, answers.functionCounts(functionIndex), context))
    .filter((text) => text !== "");
}
