// The data of a capture for a file, in the lines of its text as it is now.

import type { Baseline } from "../drift/baseline.js";
import { LineMap, linesOf, type LinePlace } from "../drift/line-map.js";
import { renamedForm } from "../drift/renamed-form.js";
import { formOf } from "../drift/text-fit.js";
import type { Form } from "../forms/form.js";
import { scanForms } from "../forms/scan-forms.js";
import type { PlacedFunction } from "./capture-places.js";
import type { RuleUse } from "../rule-use.js";
import type { MappedFile } from "../mapped-file.js";

const GONE: LinePlace = { line: 0, state: "gone" };

/** One text of one file. Made anew when the text or the baseline changes. */
export class DocumentView {
  readonly functions: readonly PlacedFunction[];
  /** Undefined when no known text is the one the VM runs. */
  readonly baseline: Baseline | undefined;
  /** The rule about paths that had a say in this being the file. */
  rule: RuleUse | undefined;
  readonly #path: string;
  readonly #text: string;
  readonly #map: LineMap | undefined;
  readonly #anchors = new Map<string, number>();
  readonly #renamed = new Map<string, Form | undefined>();
  readonly #superseded: ReadonlySet<PlacedFunction>;
  readonly #symbolLine: (fn: PlacedFunction) => number | undefined;
  readonly #written = new WeakMap<PlacedFunction, Form | undefined>();
  /** By line of the text that the VM runs. */
  #homes: readonly (Form | undefined)[] | undefined;
  #lines: readonly string[] | undefined;
  #forms: readonly Form[] | undefined;

  /** @param symbolLine line of a function according to a language server */
  constructor(
    path: string,
    text: string,
    functions: readonly PlacedFunction[],
    baseline: Baseline | undefined,
    symbolLine: (fn: PlacedFunction) => number | undefined = () => undefined,
  ) {
    this.#path = path;
    this.#text = text;
    this.functions = functions;
    this.baseline = baseline;
    this.#map = baseline === undefined ? undefined : new LineMap(baseline.lines, this.lines);
    this.#symbolLine = symbolLine;
    this.#superseded = supersededOf(functions);
  }

  get lines(): readonly string[] {
    return (this.#lines ??= linesOf(this.#text));
  }

  get forms(): readonly Form[] {
    return (this.#forms ??= scanForms(this.#path, this.#text));
  }

  /** Where a line the VM reported for a function is now. */
  map(fn: PlacedFunction, line: number): LinePlace {
    if (line <= 0) return GONE;
    if (this.#map !== undefined && !this.#superseded.has(fn)) return this.#map.map(line);
    return this.#estimate(fn, line);
  }

  /** `differs`: no known text has its functions where the VM reports them. */
  get fit(): MappedFile["fit"] {
    if (this.#map === undefined) return "differs";
    return this.#map.isSame ? "same" : "edited";
  }

  /** Line of a function's head now; of a closure where it starts: the VM's own line first, then the language server's, then the scan. 0 when the function is gone. */
  headLine(fn: PlacedFunction): number {
    if (fn.isInner) return this.map(fn, fn.headLine).line;
    const key = keyOf(fn);
    const known = this.#anchors.get(key);
    if (known !== undefined) return known;
    const form = () => formOf(this.forms, fn) ?? this.#renamedForm(fn);
    const line = this.#reportedHead(fn) ?? this.#symbolLine(fn) ?? form()?.headLine ?? 0;
    this.#anchors.set(key, line);
    return line;
  }

  /** What a function was called in the text that the VM runs, `pp_string/4`, where today's text has it under another name. */
  formerName(fn: PlacedFunction): string | undefined {
    const renamed = fn.isInner ? undefined : this.#renamedForm(fn);
    return renamed === undefined || renamed.headLine !== this.headLine(fn) ? undefined : nameOf(fn);
  }

  /** The function whose text a line is of that the VM reports for another one, `handle_event/3`: the compiler has put it in there. Undefined unless that is certain. */
  inlinedFrom(fn: PlacedFunction, capturedLine: number): string | undefined {
    if (this.baseline === undefined || fn.isNative === true || this.#superseded.has(fn)) return undefined;
    const own = this.#writtenForm(fn);
    const home = (this.#homes ??= formsByLine(this.baseline.forms))[capturedLine];
    return own === undefined || home === undefined || home === own ? undefined : nameOf(home);
  }

  /** Whether the line that the VM reports is no help to find the function in today's text. */
  needsSymbols(fn: PlacedFunction): boolean {
    return !fn.isInner && this.#reportedHead(fn) === undefined;
  }

  /** Last line of a function now; 0 when its text is not found. */
  endLine(fn: PlacedFunction): number {
    return (formOf(this.forms, { ...fn, headLine: this.headLine(fn) }) ?? this.#renamedForm(fn))?.endLine ?? 0;
  }

  /** In the text that the VM runs. */
  #writtenForm(fn: PlacedFunction): Form | undefined {
    if (this.baseline === undefined) return undefined;
    if (!this.#written.has(fn)) this.#written.set(fn, formOf(this.baseline.forms, fn));
    return this.#written.get(fn);
  }

  #renamedForm(fn: PlacedFunction): Form | undefined {
    const { baseline } = this;
    if (baseline === undefined || fn.isNative === true || this.#superseded.has(fn)) return undefined;
    const key = keyOf(fn);
    if (!this.#renamed.has(key)) {
      const written = this.#writtenForm(fn);
      this.#renamed.set(key, written === undefined ? undefined : renamedForm(written, baseline, this));
    }
    return this.#renamed.get(key);
  }

  #reportedHead(fn: PlacedFunction): number | undefined {
    if (this.#map === undefined || this.baseline === undefined || this.#superseded.has(fn)) return undefined;
    const written = this.#writtenForm(fn);
    const reported = fn.headLine === 0 ? written?.headLine : fn.headLine;
    if (reported === undefined) return undefined;
    const mapped = this.#map.map(reported);
    if (mapped.state === "gone") return undefined;
    if (mapped.state === "exact" && this.#map.isSame) return mapped.line;
    // Made by a macro: its line is all there is.
    if (written === undefined) return mapped.line;
    return formOf(this.forms, { ...fn, headLine: mapped.line })?.clauseLines.includes(mapped.line)
      ? mapped.line
      : undefined;
  }

  /** Without a text to compare with: a function that was shifted as a whole takes its lines along. */
  #estimate(fn: PlacedFunction, line: number): LinePlace {
    const form = formOf(this.forms, fn);
    if (form === undefined) return GONE;
    if (fn.isInner || fn.headLine === 0)
      return line >= form.headLine && line <= form.endLine ? { line, state: "unknown" } : GONE;
    const shifted = line + form.headLine - fn.headLine;
    if (shifted < form.headLine || shifted > form.endLine) return GONE;
    return { line: shifted, state: shifted === line ? "unknown" : "changed" };
  }
}

function keyOf({ module, name, arity }: PlacedFunction): string {
  return `${module} ${name} ${arity}`;
}

/** As the source has it: a macro has an argument less than the compiler counts. */
function nameOf({ name, arity }: Pick<Form, "name" | "arity">): string {
  return name.startsWith("MACRO-") ? `${name.slice("MACRO-".length)}/${arity - 1}` : `${name}/${arity}`;
}

/** The function of each line; none where several have the line, as the clauses of one may be on both sides of another. */
function formsByLine(forms: readonly Form[]): (Form | undefined)[] {
  const homes: (Form | undefined)[] = [];
  const shared = new Set<number>();
  for (const form of forms)
    for (let line = form.headLine; line <= form.endLine; line++) {
      if (homes[line] !== undefined) shared.add(line);
      homes[line] = form;
    }
  for (const line of shared) homes[line] = undefined;
  return homes;
}

/** Functions whose code was replaced while the capture ran: the same one is there again, with its head elsewhere. */
export function supersededOf(functions: readonly PlacedFunction[]): ReadonlySet<PlacedFunction> {
  const latest = new Map<string, PlacedFunction>();
  const superseded = new Set<PlacedFunction>();
  for (const fn of functions) {
    if (fn.isInner || fn.headLine === 0) continue;
    const key = keyOf(fn);
    const before = latest.get(key);
    if (before !== undefined && before.headLine !== fn.headLine) superseded.add(before);
    latest.set(key, fn);
  }
  return superseded;
}
