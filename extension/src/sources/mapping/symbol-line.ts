// A function among the symbols a language server names.

import type { FunctionIdentity } from "../finding/function-identity.js";

export interface NamedSymbol {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly children: readonly NamedSymbol[];
}

/** Line of `name/arity`, `name(a, b)` or `def name(a, b)`; of the module's own symbols when several modules have one. */
export function symbolLine(symbols: readonly NamedSymbol[], fn: FunctionIdentity): number | undefined {
  const name = fn.name.replace(/^MACRO-/, "");
  const arity = fn.name.startsWith("MACRO-") ? fn.arity - 1 : fn.arity;
  const found: { line: number; module: string }[] = [];
  const visit = (list: readonly NamedSymbol[], module: string): void => {
    for (const symbol of list) {
      if (isNamed(symbol.name, name, arity)) found.push({ line: symbol.line, module });
      visit(symbol.children, symbol.children.length > 0 ? symbol.name : module);
    }
  };
  visit(symbols, "");
  const own = found.find(({ module }) => module !== "" && (fn.module === module || fn.module.endsWith(`.${module}`)));
  return (own ?? (found.length === 1 ? found[0] : undefined))?.line;
}

function isNamed(symbol: string, name: string, arity: number): boolean {
  const bare = symbol.replace(/^(?:def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate)\s+/, "");
  if (bare === `${name}/${arity}`) return true;
  if (bare === name) return arity === 0;
  if (!bare.startsWith(`${name}(`)) return false;
  const written = bare.slice(name.length + 1, bare.lastIndexOf(")"));
  let depth = 0;
  let commas = 0;
  for (const character of written) {
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === "," && depth === 0) commas++;
  }
  return (written.trim() === "" ? 0 : commas + 1) === arity;
}
