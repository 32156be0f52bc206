// Whether a text can be the one a VM runs: the heads it reports must be there.

import type { Form } from "../forms/form.js";

/** A function of the capture in a file. */
export interface ReportedHead {
  readonly module: string;
  readonly name: string;
  readonly arity: number;
  readonly isElixir: boolean;
  /** Closures and comprehensions have no head of their own. */
  readonly isInner: boolean;
  /** 0 when unknown. */
  readonly headLine: number;
  /** C, C++ or Rust. */
  readonly isNative?: true;
}

export interface TextFit {
  /** Functions whose head is where the VM reports it. */
  readonly hits: number;
  /** Functions whose head is elsewhere, or nowhere. */
  readonly misses: number;
}

/** The form of a reported function; that of its module first, then the only one of this name. */
export function formOf(
  forms: readonly Form[],
  head: Pick<ReportedHead, "module" | "name" | "arity" | "headLine">,
): Form | undefined {
  const named = forms.filter((form) => form.name === head.name && form.arity === head.arity);
  const exact = named.find((form) => form.module === head.module);
  if (exact !== undefined || named.length === 1) return exact ?? named[0];
  // Methods of different types: only their lines distinguish them.
  return (
    named.find((form) => form.module === "" && form.clauseLines.includes(head.headLine)) ??
    named.find((form) => head.module.endsWith(`.${form.module.split(".").at(-1) ?? ""}`))
  );
}

/** Compares the forms of a text with the VM's report. Macros make functions no text shows: those count neither way. */
export function fitOf(forms: readonly Form[], heads: readonly ReportedHead[], lines: readonly string[]): TextFit {
  let hits = 0;
  let misses = 0;
  for (const head of heads) {
    if (head.isInner || head.headLine === 0) continue;
    const form = formOf(forms, head);
    if (form?.clauseLines.includes(head.headLine)) hits++;
    else if (form !== undefined || !isGenerated(head, lines)) misses++;
  }
  return { hits, misses };
}

/** Whether a macro on the reported line can have made the function. */
function isGenerated(head: ReportedHead, lines: readonly string[]): boolean {
  const line = lines[head.headLine - 1];
  if (line === undefined) return false;
  if (head.isNative === true) return /^\s*(?!\/[/*])\S/.test(line);
  return head.isElixir ? line.trim() !== "" && !line.trimStart().startsWith("#") : /^\s*[?-]/.test(line);
}

export function fits(fit: TextFit): boolean {
  return fit.misses === 0;
}
