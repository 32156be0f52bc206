// The text a VM runs, as well as it can be known from outside: the one in which every reported head is a head.

import type { Form } from "../forms/form.js";
import { scanForms } from "../forms/scan-forms.js";
import { linesOf } from "./line-map.js";
import { fitOf, fits, type ReportedHead, type TextFit } from "./text-fit.js";

/** The source of a text: the file on disk, its text when the capture was seen first, or a commit. */
export type TextOrigin = "disk" | "saved" | "commit";

export interface Baseline {
  readonly origin: TextOrigin;
  readonly text: string;
  readonly lines: readonly string[];
  readonly forms: readonly Form[];
  readonly fit: TextFit;
}

/** A text that may fit; read only when those before it did not. */
export interface TextCandidate {
  readonly origin: TextOrigin;
  read(): Promise<string | undefined>;
}

/**
 * The first text that fits all reported heads.
 * @returns undefined when none does: the file differs from what the VM runs
 */
export async function chooseBaseline(
  path: string,
  heads: readonly ReportedHead[],
  candidates: AsyncIterable<TextCandidate> | Iterable<TextCandidate>,
): Promise<Baseline | undefined> {
  const tried = new Set<string>();
  for await (const candidate of candidates) {
    const text = await candidate.read();
    if (text === undefined || tried.has(text)) continue;
    tried.add(text);
    const baseline = baselineOf(path, text, heads, candidate.origin);
    if (fits(baseline.fit)) return baseline;
  }
  return undefined;
}

export function baselineOf(path: string, text: string, heads: readonly ReportedHead[], origin: TextOrigin): Baseline {
  const lines = linesOf(text);
  const forms = scanForms(path, text);
  return { origin, text, lines, forms, fit: fitOf(forms, heads, lines) };
}

/** Whether a text that was chosen for fewer heads still fits. */
export function stillFits(baseline: Baseline, heads: readonly ReportedHead[]): boolean {
  return fits(fitOf(baseline.forms, heads, baseline.lines));
}
