// The attribution and the base of percentages in all views.

import { wholeOf, type Attribution } from "../../../contract/capture-answers.js";
import { leastSamples, typeOfUnit } from "../../../contract/sample-type-words.js";
import type { Capture } from "../capture/questions.js";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";

/** What the user chose; self where a capture has no code of their own, as when it is of another project. */
export function attributionOf(capture: Capture): Attribution {
  const chosen = setting(SETTINGS.attribution);
  return chosen === "own" && capture.ownSamples === 0 ? "self" : chosen;
}

/** The same for the figures of one function: without own code there is no own time, so self applies. */
export function attributionAt(capture: Capture, functionIndex: number): Attribution {
  const attribution = attributionOf(capture);
  return attribution === "own" && !capture.isOwnCode(functionIndex) ? "self" : attribution;
}

/** Whether figures are numbers of samples of processor time, or what another tool counted. */
export function countsSamples({ facts }: Pick<Capture, "facts">): boolean {
  return typeOfUnit(facts.unit) === undefined;
}

/** Figures of fewer samples are marked, as the user has chosen; 0 where figures are no numbers of samples. */
export function minimumNow(capture: Capture): number {
  return leastSamples(setting(SETTINGS.minimumSamples), capture.facts.unit);
}

/** Samples that are 100 % in all views, as the user has chosen. */
export function wholeNow(capture: Capture): number {
  return wholeOf(capture.totals, setting(SETTINGS.percentOf));
}
