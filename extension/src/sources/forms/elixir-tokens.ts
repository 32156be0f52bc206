// Just enough of Elixir's lexical rules to see where definitions, blocks and commas are.

export type ElixirTokenKind = "identifier" | "alias" | "keyword" | "atom" | "literal" | "punctuation" | "newline";

export interface ElixirToken {
  readonly kind: ElixirTokenKind;
  /** As written; of a `keyword` without its colon. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const OPERATORS = [
  "<<<",
  ">>>",
  "|||",
  "&&&",
  "^^^",
  "~~~",
  "<<~",
  "~>>",
  "<~>",
  "<|>",
  "===",
  "!==",
  "...",
  "+++",
  "---",
  "//",
  "**",
  "<<",
  ">>",
  "->",
  "<-",
  "|>",
  "\\\\",
  "==",
  "!=",
  "=~",
  "<=",
  ">=",
  "&&",
  "||",
  "<>",
  "++",
  "--",
  "..",
  "::",
  "=>",
  "~>",
  "<~",
  "@",
];
const CLOSING: Record<string, string> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const NAME = /[\p{L}_][\p{L}\p{N}_@]*[?!]?/uy;

/** The tokens of an Elixir text; strings, sigils and character literals are one token each. Never throws. */
export function elixirTokens(text: string): ElixirToken[] {
  const tokens: ElixirToken[] = [];
  let at = 0;
  const push = (kind: ElixirTokenKind, end: number, written = text.slice(at, end)): void => {
    tokens.push({ kind, text: written, start: at, end });
    at = end;
  };
  while (at < text.length) {
    const first = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (first === "\n" || first === ";") push("newline", at + 1);
    else if (first <= " " || first === "\ufeff") at++;
    else if (first === "\\" && (next === "\n" || next === "\r")) at += next === "\r" ? 3 : 2;
    else if (first === "#") at = endOfLine(text, at);
    else if (first === '"' || first === "'") {
      const end = endOfQuoted(text, at);
      // `"a key": 1`
      push("literal", text[end] === ":" && text[end + 1] !== ":" ? end + 1 : end);
    } else if (first === "~" && /[a-zA-Z]/.test(next)) push("literal", endOfSigil(text, at));
    else if (first === "?" && next > " ")
      push("literal", at + (next === "\\" ? 3 : 1 + String.fromCodePoint(text.codePointAt(at + 1) ?? 32).length));
    else if (first === ":" && (next === '"' || next === "'")) push("atom", endOfQuoted(text, at + 1));
    else if (first === ":" && nameEnd(text, at + 1) > 0) push("atom", nameEnd(text, at + 1));
    else if (first === ":" && next !== ":" && operatorEnd(text, at + 1) > 0) push("atom", operatorEnd(text, at + 1));
    else if (first >= "0" && first <= "9") push("literal", endOfNumber(text, at));
    else {
      const end = nameEnd(text, at);
      if (end > 0) {
        const written = text.slice(at, end);
        const isKeyword = text[end] === ":" && text[end + 1] !== ":" && /[\s]/.test(text[end + 1] ?? " ");
        if (isKeyword) push("keyword", end + 1, written);
        else push(/^\p{Lu}/u.test(written) ? "alias" : "identifier", end);
      } else push("punctuation", operatorEnd(text, at) || at + 1);
    }
  }
  return tokens;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function nameEnd(text: string, at: number): number {
  NAME.lastIndex = at;
  return NAME.test(text) ? NAME.lastIndex : 0;
}

function operatorEnd(text: string, at: number): number {
  const long = OPERATORS.find((operator) => text.startsWith(operator, at));
  if (long !== undefined) return at + long.length;
  return /[+\-*/<>=!&|^%.]/.test(text[at] ?? "") ? at + 1 : 0;
}

function endOfNumber(text: string, start: number): number {
  return (
    start +
    (/^(?:0[xob][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?)?)/.exec(
      text.slice(start, start + 200),
    )?.[0].length ?? 1)
  );
}

function endOfQuoted(text: string, start: number): number {
  const quote = text[start] ?? "";
  const heredoc = quote.repeat(3);
  if (text.startsWith(heredoc, start)) return endOfBody(text, start + 3, heredoc, "", true);
  return endOfBody(text, start + 1, quote, "", true);
}

function endOfSigil(text: string, start: number): number {
  let at = start + 1;
  while (/[a-zA-Z0-9]/.test(text[at] ?? "")) at++;
  const isRaw = /[A-Z]/.test(text[start + 1] ?? "");
  const open = text[at] ?? "";
  const heredoc = open.repeat(3);
  const end =
    (open === '"' || open === "'") && text.startsWith(heredoc, at)
      ? endOfBody(text, at + 3, heredoc, "", !isRaw)
      : /[([{<"'|/]/.test(open)
        ? endOfBody(text, at + 1, CLOSING[open] ?? open, "", !isRaw)
        : at;
  at = end;
  while (/[a-zA-Z]/.test(text[at] ?? "")) at++;
  return at;
}

/** Goes over interpolations, which may hold any expression. */
function endOfBody(text: string, start: number, closing: string, opening: string, interpolates: boolean): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (interpolates && text[at] === "#" && text[at + 1] === "{") at = endOfInterpolation(text, at + 2) - 1;
    else if (opening !== "" && text.startsWith(opening, at)) depth++;
    else if (text.startsWith(closing, at)) {
      if (depth === 0) return at + closing.length;
      depth--;
    }
  }
  return text.length;
}

function endOfInterpolation(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'") at = endOfQuoted(text, at) - 1;
    else if (character === "?" && !/[\w?!]/.test(text[at - 1] ?? "")) at += text[at + 1] === "\\" ? 2 : 1;
    else if (character === "{") depth++;
    else if (character === "}") {
      if (depth === 0) return at + 1;
      depth--;
    }
  }
  return text.length;
}
