// The hottest function of a capture, with its share, as the status bar has it. No vscode in here.

import type { Attribution } from "../../../contract/capture-answers.js";
import { marked, percent } from "../../../contract/figures.js";
import { shownName } from "../../../contract/plain-text.js";
import { hottestFunctions } from "../capture/answers/headline.js";
import type { Capture } from "../capture/questions.js";

/** A name with the arity: its beginning is cut, as the end differs between the functions of a module. */
const LONGEST_HOTTEST = 36;

export interface HottestOf {
  readonly attribution: Attribution;
  /** Samples that are 100 %. */
  readonly whole: number;
  /** A share of fewer samples is marked. */
  readonly minimumSamples: number;
  readonly language: string | undefined;
}

/** Undefined when no function has samples. */
export function hottestText(
  capture: Capture,
  { attribution, whole, minimumSamples, language }: HottestOf,
): { readonly short: string; readonly long: string } | undefined {
  if (capture.facts.waits !== undefined) return undefined;
  const [hottest] = hottestFunctions(capture, attribution, 1);
  if (hottest === undefined) return undefined;
  const name = shownName(capture.functions[hottest.functionIndex]?.name ?? "");
  const share = marked(percent(hottest.samples, whole, language, "whole"), hottest.samples, minimumSamples);
  const short = name.length > LONGEST_HOTTEST ? `…${name.slice(1 - LONGEST_HOTTEST)}` : name;
  return { short: `${short} ${share}`, long: `${name} ${share}` };
}
