// Just enough of Erlang's lexical rules to see where forms, brackets and commas are.

export type ErlangTokenKind = "atom" | "variable" | "punctuation" | "literal" | "dot";

/** Steps through a text; the fields describe the token it stands on. It never throws: text that is no Erlang counts as punctuation. */
export class ErlangTokens {
  readonly #text: string;
  kind: ErlangTokenKind = "dot";
  start = 0;
  end: number;

  constructor(text: string, start = 0) {
    this.#text = text;
    this.end = start;
  }

  /** Of an atom without its quotes, else as written. */
  get value(): string {
    const written = this.#text.slice(this.start, this.end);
    if (this.kind !== "atom" || !written.startsWith("'")) return written;
    return written.replace(/^'|'$/g, "").replaceAll(/\\([\s\S])/g, "$1");
  }

  is(punctuation: string): boolean {
    return (
      this.kind === "punctuation" &&
      this.#text.startsWith(punctuation, this.start) &&
      this.end - this.start === punctuation.length
    );
  }

  /** Goes to the next token; false at the end of the text. */
  next(): boolean {
    const text = this.#text;
    let at = this.end;
    for (;;) {
      while (at < text.length && isSpace(text.charCodeAt(at))) at++;
      if (text[at] !== "%") break;
      at = endOfLine(text, at);
    }
    this.start = at;
    const first = text[at];
    if (first === undefined) return false;
    [this.kind, this.end] = this.#read(first, at);
    return true;
  }

  #read(first: string, at: number): [ErlangTokenKind, number] {
    const text = this.#text;
    if (first === '"') return ["literal", endOfString(text, at)];
    if (first === "'") return ["atom", endOfQuotedAtom(text, at)];
    if (first === "$") return ["literal", endOfCharacter(text, at)];
    if (first === "~") return ["literal", endOfSigil(text, at)];
    if (isDigit(first)) return ["literal", endOfNumber(text, at)];
    if (isNameStart(first)) return [isVariableStart(first) ? "variable" : "atom", endOfName(text, at)];
    if (first === ".") return endOfDots(text, at);
    const two = text.slice(at, at + 2);
    return ["punctuation", at + (two === "<<" || two === ">>" || two === "->" ? 2 : 1)];
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function endOfString(text: string, at: number): number {
  let quotes = 1;
  while (text[at + quotes] === '"') quotes++;
  if (quotes >= 3 && /^[ \t\r]*$/.test(text.slice(at + quotes, endOfLine(text, at))))
    return endOfTripleQuoted(text, at, quotes);
  return endOfDelimited(text, at + 1, '"', true);
}

/** Triple-quoted text ends with a line that starts with as many quotes. */
function endOfTripleQuoted(text: string, at: number, quotes: number): number {
  const closing = '"'.repeat(quotes);
  for (let line = endOfLine(text, at) + 1; line < text.length; line = endOfLine(text, line) + 1) {
    let start = line;
    while (text[start] === " " || text[start] === "\t") start++;
    if (text.startsWith(closing, start)) return start + quotes;
  }
  return text.length;
}

function endOfDelimited(text: string, start: number, closing: string, escapes: boolean): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === closing) return at + 1;
    if (character === "\\" && escapes) at++;
  }
  return text.length;
}

/** No one breaks a line inside an atom; so a quote left open while typing costs one line, not the file. */
function endOfQuotedAtom(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === "'") return at + 1;
    if (character === "\n") return at;
    if (character === "\\") at++;
  }
  return text.length;
}

function endOfCharacter(text: string, at: number): number {
  if (text[at + 1] !== "\\") return at + 1 + String.fromCodePoint(text.codePointAt(at + 1) ?? 32).length;
  const escape = /^(?:x\{[0-9a-fA-F]*\}|x[0-9a-fA-F]{2}|\^.|[0-7]{1,3}|[\s\S])/.exec(text.slice(at + 2, at + 14));
  return at + 2 + (escape?.[0].length ?? 0);
}

const SIGIL_CLOSING: Record<string, string> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "<": ">",
  "/": "/",
  "|": "|",
  "'": "'",
  '"': '"',
  "`": "`",
  "#": "#",
};

function endOfSigil(text: string, at: number): number {
  const prefix = /^~[a-zA-Z]*/.exec(text.slice(at, at + 16))?.[0] ?? "~";
  const open = text[at + prefix.length] ?? "";
  if (open === '"' && text.startsWith('"""', at + prefix.length)) return endOfString(text, at + prefix.length);
  const closing = SIGIL_CLOSING[open];
  if (closing === undefined) return at + 1;
  return endOfDelimited(text, at + prefix.length + 1, closing, prefix !== "~S" && prefix !== "~B");
}

function endOfNumber(text: string, start: number): number {
  let at = start;
  while (at < text.length && /[0-9a-zA-Z_#]/.test(text[at] ?? "")) at++;
  if (text[at] === "." && isDigit(text[at + 1] ?? "")) {
    at++;
    while (at < text.length && /[0-9eE_]/.test(text[at] ?? "")) at++;
  }
  return at;
}

function endOfName(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isNamePart(text.charCodeAt(at))) at++;
  return at;
}

function endOfDots(text: string, start: number): [ErlangTokenKind, number] {
  let at = start + 1;
  while (text[at] === ".") at++;
  const after = text[at];
  const ends = at === start + 1 && (after === undefined || after === "%" || isSpace(text.charCodeAt(at)));
  return [ends ? "dot" : "punctuation", at];
}

function isSpace(code: number): boolean {
  return code <= 32 || code === 0xa0 || code === 0xfeff;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function isNameStart(character: string): boolean {
  return /[\p{L}_]/u.test(character);
}

function isVariableStart(character: string): boolean {
  return character === "_" || /\p{Lu}/u.test(character);
}

function isNamePart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 64 ||
    (code >= 0xc0 && code !== 0xd7 && code !== 0xf7)
  );
}
