// Samples as the figures of lenses and lines. No vscode in here.

import type { Counts, Measure } from "../../../contract/capture-answers.js";
import { percent } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";
import { sampleCount } from "../text/sample-count.js";

export interface FigureFormat {
  readonly words: Words;
  readonly language: string | undefined;
  /** Fewer samples than this are marked. */
  readonly minimumSamples: number;
}

/** `45.6% own · 78.9% total · 1,234 samples`, with `≈` before it when they are too few to be believed. */
export function lensText(counts: Counts, measure: Measure, busy: number, { words, language, minimumSamples }: FigureFormat): string {
  const share = (samples: number) => percent(samples, busy, language, "tenths");
  const total = share(counts.total);
  const samples = sampleCount(counts.total, words, language);
  const text = measure === "own" ? words.t("{0} own · {1} total · {2}", share(counts.own), total, samples) : words.t("{0} self · {1} total · {2}", share(counts.self), total, samples);
  return counts.total < minimumSamples ? `≈ ${text}` : text;
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

/** What the compiler made a function of, by its raw name; null for functions of the source, and for loops of calls that were inlined. */
export function generatedFrom(rawName: string): "fun" | "comprehension" | null {
  const kind = GENERATED.exec(rawName)?.[1];
  if (kind === undefined) return null;
  if (kind === "fun" || kind === "anonymous") return "fun";
  // A fun with a name: Elixir's source has none, there it is the loop of a `for`.
  if (kind.includes("/")) return rawName.startsWith("'Elixir.") && /^_@?\d+\/2$/u.test(kind) ? "comprehension" : "fun";
  return "comprehension";
}

/** `'-OUTER/ARITY-KIND`, and for a fun that calls itself by a name `'-OUTER/ARITY-NAME/ARITY-`. */
const GENERATED = /'-[^'"]+?\/\d+-(fun|anonymous|lc|l?bc|mc|[\p{Lu}_][\p{L}\d_@]*\/\d+(?=-\d+-'))(?=\W)/u;
