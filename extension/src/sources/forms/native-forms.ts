// Functions of a text in C, C++ or Rust, found without compiling: what macros make of it stays unseen.

import type { Form } from "./form.js";
import { LineIndex } from "./line-index.js";

/** Words before parentheses after which no body of a function follows. */
const CONTROL = new Set(["if", "for", "while", "switch", "catch", "return"]);
/** Words before parentheses that are no function's name, beside those. */
const NO_NAMES = new Set([
  "sizeof",
  "alignas",
  "decltype",
  "noexcept",
  "throw",
  "requires",
  "__attribute__",
  "__declspec",
  "__asm__",
  "asm",
]);

interface Block {
  readonly name: string | undefined;
  readonly lines: readonly number[];
}

/** Functions with a body, each for itself: methods of different types share a name. */
export function scanNativeForms(path: string, text: string): Form[] {
  const isRust = /\.rs$/i.test(path);
  const code = blanked(text, isRust);
  const lines = new LineIndex(text);
  const forms: Form[] = [];
  const blocks: Block[] = [];
  let begin = 0;
  let depth = 0;
  for (const { 0: mark, index: at } of code.matchAll(/[{};()]/g)) {
    if (mark === "(" || mark === ")") depth = Math.max(0, depth + (mark === "(" ? 1 : -1));
    // Braces in parentheses belong to the statement around: initialisers, closures given to a call.
    if (mark === "{") {
      const head = depth === 0 ? headOf(code.slice(begin, at), isRust) : undefined;
      blocks.push({
        name: head?.name,
        lines: head === undefined ? [] : [lines.lineAt(begin + head.start), lines.lineAt(begin + head.nameAt)],
      });
    } else if (mark === "}") {
      const block = blocks.pop();
      if (block?.name !== undefined)
        forms.push({
          module: "",
          name: block.name,
          arity: 0,
          headLine: block.lines.at(-1) ?? 0,
          clauseLines: block.lines,
          endLine: lines.lineAt(at),
        });
    }
    if (mark === "{" || mark === "}" || (mark === ";" && depth === 0)) {
      begin = at + 1;
      if (mark !== ";") depth = 0;
    }
  }
  return forms.sort((a, b) => a.headLine - b.headLine);
}

/** The head of a body, when it is that of a function. */
function headOf(head: string, isRust: boolean): { name: string; start: number; nameAt: number } | undefined {
  const start = head.search(/\S/);
  if (isRust) {
    const found = /\bfn\s+(?:r#)?(\w+)/.exec(head);
    return found?.[1] === undefined ? undefined : { name: found[1], start, nameAt: found.index };
  }
  let depth = 0;
  for (const { 0: token, 1: name, index } of head.matchAll(/([A-Za-z_]\w*)(?=\s*\()|[()=]/g)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    else if (depth > 0) continue;
    else if (token === "=") return undefined;
    else if (name !== undefined && CONTROL.has(name)) return undefined;
    else if (name !== undefined && !NO_NAMES.has(name)) return { name, start, nameAt: index };
  }
  return undefined;
}

/** The text with comments, texts and directives blanked out, as long as it was and with its lines. */
function blanked(text: string, isRust: boolean): string {
  const quoted = String.raw`"(?:\\[^]|[^"\\])*"`;
  const letter = String.raw`'(?:\\(?:[^]|x[\da-fA-F]+|u\{[^}]*\})|[^'\\\n])'`;
  const comment = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
  const raw = isRust ? String.raw`b?r(#*)"[^]*?"\1` : String.raw`R"([^\s()\\]{0,16})\([^]*?\)\1"`;
  const directive = isRust ? String.raw`#!?\[[^\]\n]*\]` : String.raw`^[ \t]*#(?:\\\r?\n|[^\n])*`;
  const parts = new RegExp([comment, raw, quoted, letter, directive].join("|"), "gm");
  return text.replaceAll(parts, (part) => part.replaceAll(/[^\n]/g, " "));
}
