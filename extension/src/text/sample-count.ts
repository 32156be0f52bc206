// How many samples, in words. No vscode in here.

import { count } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";

/** `1,234 samples`, `1 sample`. */
export function sampleCount(samples: number, words: Words, language: string | undefined): string {
  return samples === 1 ? words.t("1 sample") : words.t("{0} samples", count(samples, language));
}
