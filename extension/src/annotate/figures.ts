// Samples as the figures of lenses and lines. No vscode in here.

import type { SelfAndTotal } from "../../../contract/capture-answers.js";
import { count, percent } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";

export interface FigureFormat {
  readonly words: Words;
  readonly language: string | undefined;
  /** Fewer samples than this are marked. */
  readonly minimumSamples: number;
}

/** `12.3% self · 45.6% total · 1,234 samples`, with `≈` before it when they are too few to be believed. */
export function lensText({ self, total }: SelfAndTotal, busy: number, { words, language, minimumSamples }: FigureFormat): string {
  const text = words.t("{0} self · {1} total · {2} samples", percent(self, busy, language, "tenths"), percent(total, busy, language, "tenths"), count(total, language));
  return total < minimumSamples ? `≈ ${text}` : text;
}

/** Half the width of the 95 % confidence interval of a share, in percentage points: by so much another capture of the same load may differ. */
export function uncertaintyPoints(part: number, whole: number): number {
  if (whole === 0) return 0;
  // Wilson's interval: the plain one is of width 0 for shares of 0 and 1.
  const z = 1.96;
  const share = part / whole;
  const spread = (z / (1 + (z * z) / whole)) * Math.sqrt((share * (1 - share)) / whole + (z * z) / (4 * whole * whole));
  return spread * 100;
}

/** What the compiler made a function of, by its raw name; null for functions of the source. */
export function generatedFrom(rawName: string): "fun" | "comprehension" | null {
  const kind = /'-[^'"]+?\/\d+-(fun|anonymous|lc|l?bc|mc)\W/u.exec(rawName)?.[1];
  return kind === undefined ? null : kind === "fun" || kind === "anonymous" ? "fun" : "comprehension";
}
