// The summary of a capture as data: the headline, the hottest own lines, and the next steps. No vscode in here.

import { percent } from "../../../../contract/figures.js";
import type { SummaryData, SummaryLine } from "../../../../contract/messages/summary.js";
import { plainText, shownName, type Words } from "../../../../contract/plain-text.js";
import { typeOfUnit } from "../../../../contract/sample-type-words.js";
import { hottestFunctions, headlineOf, type Headline } from "../../capture/answers/headline.js";
import { qualityProblems } from "../../captures/quality.js";
import { captureHead, type ShownCapture } from "../capture-panel/shown-capture.js";
import { headlineWords } from "./headline-words.js";
import { adviceFor, isIdle, nextSteps } from "./next-steps.js";

/** A hot line of the user's own code, as it is now. */
export interface OwnLine {
  /** Path below the workspace folder, and line. */
  readonly place: string;
  readonly functionIndex: number;
  readonly samples: number;
  readonly text: string;
  open(): Promise<void>;
}

interface SummaryTexts {
  readonly words: Words;
  readonly language: string | undefined;
  readonly minimumSamples: number;
}

export const MOST_LINES = 5;
const LONGEST_LINE = 120;

/** @param lines null while they are looked for */
export function summaryOf(shown: ShownCapture, lines: readonly OwnLine[] | null, texts: SummaryTexts): SummaryData {
  const { capture, attribution } = shown;
  const { words, language, minimumSamples } = texts;
  const headline = headlineOf(capture, attribution);
  return {
    type: "data",
    ...captureHead(shown),
    minimumSamples,
    headline: headlineWords(headline, {
      functions: capture.functions,
      totals: capture.totals,
      percentOf: shown.percentOf,
      isWaits: capture.facts.waits !== undefined,
      unit: capture.facts.unit,
      minimumSamples,
      words,
      language,
    }),
    details: details(shown, headline, texts),
    split: capture.classSplit(),
    lines: lines && lines.map((line) => shownLine(shown, line)),
    functions:
      lines?.length === 0
        ? hottestFunctions(capture, attribution, MOST_LINES).map((fn) => ({
            ...fn,
            name: shownName(capture.functions[fn.functionIndex]?.name ?? ""),
          }))
        : [],
    steps: nextSteps(
      {
        largest: headline.kinds[0]?.sampleClass,
        hasLines: lines !== null && lines.length > 0,
        mostlyIdle: isIdle(capture.totals),
        // Until the lines are known, the sources may be there.
        hasSources: lines !== null && capture.facts.isOwn,
      },
      words,
    ),
    problems: capture.facts.quality === null ? [] : qualityProblems(capture.facts.quality, words, language),
  };
}

function details(
  { capture }: ShownCapture,
  { kinds }: Headline,
  { words, language, minimumSamples }: SummaryTexts,
): string[] {
  const { samples, busy } = capture.totals;
  const isOfSamples = typeOfUnit(capture.facts.unit) === undefined;
  const idleShare = percent(samples - busy, samples, language, "whole");
  const idle = !isIdle(capture.totals)
    ? ""
    : isOfSamples
      ? words.t("The schedulers were idle in {0} of all samples.", idleShare)
      : words.t("The schedulers were idle in {0} of the time in which they had no processor.", idleShare);
  const queue = capture.facts.runQueue;
  const waiting =
    queue !== undefined && queue.mean >= 1
      ? words.t(
          "On average {0} processes waited for a scheduler.",
          queue.mean.toLocaleString(language, { maximumFractionDigits: 1 }),
        )
      : "";
  // It is about work of a processor.
  const advice = !isOfSamples || busy < minimumSamples ? "" : adviceFor(kinds[0]?.sampleClass, words);
  return [idle, waiting, advice].filter((text) => text !== "");
}

function shownLine({ capture }: ShownCapture, { place, functionIndex, samples, text }: OwnLine): SummaryLine {
  return {
    place: plainText(place, 200),
    name: shownName(capture.functions[functionIndex]?.name ?? ""),
    samples,
    text: plainText(text, LONGEST_LINE),
  };
}
