// Functions of an Elixir text, found without compiling: what macros make of it stays unseen.

import { elixirTokens, type ElixirToken } from "./elixir-tokens.js";
import { mergeForms, type Form } from "./form.js";
import { LineIndex } from "./line-index.js";

const DEFINES_FUNCTION = new Set(["def", "defp", "defdelegate", "defn", "defnp"]);
const DEFINES_MACRO = new Set(["defmacro", "defmacrop", "defguard", "defguardp"]);
const DEFINES_MODULE = new Set(["defmodule", "defprotocol", "defimpl"]);
const OPENING = new Set(["(", "[", "{", "<<"]);
const CLOSING = new Set([")", "]", "}", ">>"]);
const CONTINUES = new Set([
  "|>",
  "<>",
  "++",
  "--",
  "||",
  "&&",
  "and",
  "or",
  "|",
  "+",
  "*",
  "/",
  "=",
  "\\\\",
  ",",
  "->",
  ".",
]);

interface Definition {
  /** Of a `defimpl` with several targets one each. */
  readonly modules: readonly string[];
  readonly name: string;
  readonly arities: readonly number[];
  readonly line: number;
}

interface Block {
  readonly modules: readonly string[] | undefined;
  readonly definition: Definition | undefined;
}

/** Functions and macros of an Elixir file, each once; one with default arguments once per arity. */
export function scanElixirForms(text: string): Form[] {
  return new ElixirFormScan(text).run();
}

class ElixirFormScan {
  readonly #tokens: ElixirToken[];
  readonly #lines: LineIndex;
  readonly #forms: Form[] = [];
  readonly #blocks: Block[] = [];
  #depth = 0;
  /** Waits for its `do`; with `do:` it ends with the statement. */
  #pending: Block | undefined;
  #pendingDepth = 0;

  constructor(text: string) {
    this.#tokens = elixirTokens(text);
    this.#lines = new LineIndex(text);
  }

  run(): Form[] {
    const tokens = this.#tokens;
    for (const [at, token] of tokens.entries()) {
      if (token.kind === "newline") this.#statementMayEnd(at);
      else if (token.kind === "punctuation")
        this.#depth += OPENING.has(token.text) ? 1 : CLOSING.has(token.text) ? -1 : 0;
      else if (token.kind === "identifier" && !isQualified(tokens, at)) this.#word(token, at);
    }
    this.#endPending(tokens.length);
    for (const block of this.#blocks.reverse()) this.#finish(block.definition, tokens.at(-1));
    return mergeForms(this.#forms).sort((a, b) => a.headLine - b.headLine);
  }

  get #modules(): readonly string[] {
    return this.#blocks.findLast((block) => block.modules !== undefined)?.modules ?? [""];
  }

  #word(token: ElixirToken, at: number): void {
    if (token.text === "do") {
      this.#blocks.push(this.#pending ?? { modules: undefined, definition: undefined });
      this.#pending = undefined;
    } else if (token.text === "fn") this.#blocks.push({ modules: undefined, definition: undefined });
    else if (token.text === "end") this.#finish(this.#blocks.pop()?.definition, token);
    else if (DEFINES_MODULE.has(token.text))
      this.#wait({ modules: this.#moduleNames(token.text, at + 1), definition: undefined }, at);
    else if (DEFINES_FUNCTION.has(token.text) || DEFINES_MACRO.has(token.text)) {
      const head = readHead(this.#tokens, at + 1);
      if (head === undefined) return;
      const isMacro = DEFINES_MACRO.has(token.text);
      const definition: Definition = {
        modules: this.#modules,
        name: isMacro ? `MACRO-${head.name}` : head.name,
        arities: Array.from({ length: head.defaults + 1 }, (_, missing) => head.arity - missing + (isMacro ? 1 : 0)),
        line: this.#lines.lineAt(token.start),
      };
      this.#wait({ modules: undefined, definition }, at);
    }
  }

  #wait(block: Block, at: number): void {
    this.#endPending(at);
    this.#pending = block;
    this.#pendingDepth = this.#depth;
  }

  #statementMayEnd(at: number): void {
    if (this.#pending === undefined || this.#depth > this.#pendingDepth) return;
    const before = this.#tokens[at - 1];
    const after = this.#tokens.slice(at + 1, at + 50).find((token) => token.kind !== "newline");
    const continues =
      before?.kind === "keyword" ||
      CONTINUES.has(before?.text ?? "") ||
      CONTINUES.has(after?.text ?? "") ||
      after?.text === "when" ||
      after?.text === "do";
    if (!continues) this.#endPending(at);
  }

  /** A one-liner (`do:`), or a head without a body. */
  #endPending(at: number): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined)
      this.#finish(
        pending.definition,
        this.#tokens.slice(Math.max(0, at - 50), at).findLast((token) => token.kind !== "newline"),
      );
  }

  #finish(definition: Definition | undefined, last: ElixirToken | undefined): void {
    if (definition === undefined) return;
    const endLine = Math.max(definition.line, last === undefined ? 0 : this.#lines.lineAt(last.end - 1));
    for (const module of definition.modules) {
      for (const arity of definition.arities) {
        this.#forms.push({
          module,
          name: definition.name,
          arity,
          headLine: definition.line,
          clauseLines: [definition.line],
          endLine,
        });
      }
    }
  }

  #moduleNames(keyword: string, start: number): string[] {
    const named = readAlias(this.#tokens, start);
    const outer = this.#modules[0] ?? "";
    const own = named.name === "__MODULE__" ? outer : named.name.replace(/^__MODULE__\./, `${outer}.`);
    if (keyword !== "defimpl")
      return [
        own === "" || outer === "" || named.name.startsWith("__MODULE__")
          ? own.replace(/^Elixir\./, "")
          : own.startsWith("Elixir.")
            ? own.slice(7)
            : `${outer}.${own}`,
      ];
    const targets = readTargets(this.#tokens, named.end).map((target) => (target === "__MODULE__" ? outer : target));
    return targets.length === 0 ? [`${own}.${outer}`] : targets.map((target) => `${own}.${target}`);
  }
}

/** `foo.def`, `@doc`, `&def/1` and `:def` are no definitions. */
function isQualified(tokens: readonly ElixirToken[], at: number): boolean {
  const before = tokens[at - 1];
  return before?.kind === "punctuation" && (before.text === "." || before.text === "@" || before.text === "&");
}

function readAlias(tokens: readonly ElixirToken[], start: number): { name: string; end: number } {
  let at = start;
  let name = "";
  while (tokens[at]?.kind === "alias" || tokens[at]?.text === "." || tokens[at]?.text === "__MODULE__")
    name += tokens[at++]?.text ?? "";
  // `defmodule :name`
  if (name === "" && tokens[at]?.kind === "atom") return { name: (tokens[at]?.text ?? "").slice(1), end: at + 1 };
  return { name, end: at };
}

function readTargets(tokens: readonly ElixirToken[], start: number): string[] {
  const at = tokens.findIndex(
    (token, index) =>
      index >= start && (token.kind === "newline" || (token.kind === "keyword" && token.text === "for")),
  );
  if (tokens[at]?.kind !== "keyword") return [];
  if (tokens[at + 1]?.text !== "[") return [readAlias(tokens, at + 1).name];
  const targets: string[] = [];
  for (let next = at + 2; next < tokens.length && tokens[next]?.text !== "]";) {
    const alias = readAlias(tokens, next);
    if (alias.name !== "") targets.push(alias.name);
    next = Math.max(alias.end, next + 1);
  }
  return targets;
}

interface Head {
  readonly name: string;
  readonly arity: number;
  readonly defaults: number;
}

/** What follows `def`: `name`, `name(a, b \\ 1)`, `name a, b`, `a + b`; undefined for `unquote(…)`. */
function readHead(tokens: readonly ElixirToken[], start: number): Head | undefined {
  const first = tokens[start];
  const second = tokens[start + 1];
  if (first === undefined || first.kind === "newline") return undefined;
  if (first.kind === "identifier" && first.text === "unquote") return undefined;
  if (first.text === "(" && first.kind === "punctuation") return readHead(tokens, start + 1);
  if (first.kind === "identifier" && second?.text === "(" && second.start === first.end)
    return { name: first.text, ...countArguments(tokens, start + 2, true) };
  if (first.kind === "keyword") return undefined;
  const infix = second === undefined ? undefined : infixOperator(second);
  if (infix !== undefined) return { name: infix, arity: 2, defaults: 0 };
  if (first.kind === "punctuation") return { name: first.text, arity: 1, defaults: 0 };
  if (first.kind !== "identifier") return undefined;
  if (
    second === undefined ||
    second.kind === "newline" ||
    second.text === "," ||
    second.text === "do" ||
    second.text === "when" ||
    second.text === ")"
  )
    return { name: first.text, arity: 0, defaults: 0 };
  return { name: first.text, ...countArguments(tokens, start + 1, false) };
}

function infixOperator(token: ElixirToken): string | undefined {
  if (token.kind === "identifier" && ["and", "or", "in"].includes(token.text)) return token.text;
  if (token.kind !== "punctuation" || [",", ")", "(", "[", "{", "%", ".", "&", "^", "<<", "@"].includes(token.text))
    return undefined;
  return token.text;
}

function countArguments(
  tokens: readonly ElixirToken[],
  start: number,
  bracketed: boolean,
): { arity: number; defaults: number } {
  let depth = 0;
  let commas = 0;
  let defaults = 0;
  let isEmpty = true;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    if (depth === 0 && bracketed && token.text === ")") break;
    if (
      depth === 0 &&
      !bracketed &&
      (token.text === "do" || token.text === "when" || (token.kind === "newline" && tokens[at - 1]?.text !== ","))
    )
      break;
    if (token.kind === "newline") continue;
    isEmpty = false;
    if (token.kind !== "punctuation") continue;
    if (OPENING.has(token.text)) depth++;
    else if (CLOSING.has(token.text)) depth--;
    else if (depth === 0 && token.text === ",") {
      if (!bracketed && tokens[at + 1]?.kind === "keyword" && tokens[at + 1]?.text === "do") break;
      commas++;
    } else if (depth === 0 && token.text === "\\\\") defaults++;
  }
  return { arity: isEmpty ? 0 : commas + 1, defaults };
}
