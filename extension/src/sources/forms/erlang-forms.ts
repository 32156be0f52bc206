// Functions of an Erlang text, found without compiling: macros and conditions stay as they are written.

import { ErlangTokens } from "./erlang-tokens.js";
import { mergeForms, type Form } from "./form.js";
import { LineIndex } from "./line-index.js";

const OPENING = new Set(["(", "[", "{", "<<"]);
const CLOSING = new Set([")", "]", "}", ">>"]);

interface OpenForm {
  readonly name: string;
  readonly arity: number;
  readonly clauseLines: number[];
}

/** Functions of an Erlang file (`.erl`, `.hrl`; of `.yrl` and `.xrl` the Erlang code at the end), each once. */
export function scanErlangForms(text: string): Form[] {
  const grammarEnd = /^Erlang code\s*\./m.exec(text);
  return new ErlangFormScan(text, grammarEnd === null ? 0 : grammarEnd.index + grammarEnd[0].length).run();
}

class ErlangFormScan {
  readonly #tokens: ErlangTokens;
  readonly #lines: LineIndex;
  readonly #text: string;
  readonly #forms: Form[] = [];
  #module = "";
  #open: OpenForm | undefined;
  #depth = 0;
  #lastLine = 1;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#tokens = new ErlangTokens(text, start);
    this.#lines = new LineIndex(text);
  }

  run(): Form[] {
    const tokens = this.#tokens;
    let formStarts = true;
    let clauseMayStart = false;
    while (tokens.next()) {
      const here = tokens.start;
      if (tokens.kind === "dot") {
        this.#close(this.#lines.lineAt(here));
        formStarts = true;
        continue;
      }
      if (tokens.kind === "atom" && (formStarts || clauseMayStart || this.#lines.isColumnZero(here)))
        this.#head(tokens.value, here, formStarts, clauseMayStart);
      else if (formStarts && tokens.is("-")) this.#attribute(here);
      else if (OPENING.has(this.#punctuation())) this.#depth++;
      else if (CLOSING.has(this.#punctuation())) this.#depth--;
      // Patterns hold no calls: after a `;` the function's own name with arguments is the head of a clause.
      clauseMayStart = this.#depth <= 0 && tokens.is(";");
      formStarts = false;
      this.#lastLine = this.#lines.lineAt(tokens.start);
    }
    this.#close(this.#lastLine);
    return mergeForms(this.#forms).map((form) => ({ ...form, module: this.#module }));
  }

  #punctuation(): string {
    return this.#tokens.kind === "punctuation" ? this.#text.slice(this.#tokens.start, this.#tokens.end) : "";
  }

  /** On an atom that may be the name in a clause head. */
  #head(name: string, here: number, formStarts: boolean, clauseMayStart: boolean): void {
    const head = readHead(this.#text, this.#tokens.end);
    if (head === undefined) return;
    const line = this.#lines.lineAt(here);
    const open = this.#open;
    const isSame = open !== undefined && open.name === name && open.arity === head.arity;
    if (formStarts) this.#begin(name, head.arity, line);
    else if (clauseMayStart && isSame) open.clauseLines.push(line);
    // The form before lacks its dot, as it does while someone types: only a head at the margin has an arrow behind it.
    else if (head.isClause && !isSame && this.#lines.isColumnZero(here) && open !== undefined) {
      this.#close(line - 1);
      this.#begin(name, head.arity, line);
    }
  }

  #begin(name: string, arity: number, line: number): void {
    this.#depth = 0;
    this.#open = { name, arity, clauseLines: [line] };
  }

  #close(endLine: number): void {
    const open = this.#open;
    if (open !== undefined)
      this.#forms.push({ ...open, module: "", headLine: open.clauseLines[0] ?? endLine, endLine });
    this.#open = undefined;
    this.#depth = 0;
  }

  #attribute(here: number): void {
    const found = /^-\s*module\s*\(\s*(?:'((?:\\.|[^'\\\n])*)'|([a-z][\w@]*))/.exec(this.#text.slice(here, here + 400));
    if (found !== null) this.#module = found[1]?.replaceAll(/\\(.)/g, "$1") ?? found[2] ?? "";
  }
}

/** Reads `(arguments)` after a name; undefined when none follow. */
function readHead(text: string, start: number): { arity: number; isClause: boolean } | undefined {
  const tokens = new ErlangTokens(text, start);
  if (!tokens.next() || !tokens.is("(")) return undefined;
  let depth = 1;
  let commas = 0;
  let isEmpty = true;
  while (depth > 0) {
    if (!tokens.next() || tokens.kind === "dot") return undefined;
    const written = tokens.kind === "punctuation" ? text.slice(tokens.start, tokens.end) : "";
    if (OPENING.has(written)) depth++;
    else if (CLOSING.has(written)) depth--;
    else if (written === "," && depth === 1) commas++;
    if (depth > 0) isEmpty = false;
  }
  const isClause = tokens.next() && (tokens.is("->") || (tokens.kind === "atom" && tokens.value === "when"));
  return { arity: isEmpty ? 0 : commas + 1, isClause };
}
