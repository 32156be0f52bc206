// Which functions a query matches, and how many samples pass through them.

import type { FlameData } from "../../contract/flame-data.js";

export interface SearchResult {
  /** 1 for every function whose name matches. */
  readonly matches: Uint8Array;
  readonly matchedFunctions: number;
  /** Samples with a matching frame somewhere in the stack, each counted once. */
  readonly matchedSamples: number;
}

export type CompiledQuery = { readonly pattern: RegExp } | { readonly error: string } | null;

/** A case-insensitive regular expression, case-sensitive as soon as it has a capital letter; null for nothing to search. */
export function compileQuery(query: string): CompiledQuery {
  const trimmed = query.trim();
  if (trimmed === "") return null;
  try {
    // Escapes such as \S and \W are not capital letters of the reader's.
    return { pattern: new RegExp(trimmed, /\p{Lu}/u.test(trimmed.replace(/\\./g, "")) ? "" : "i") };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The query that finds functions with this name only. */
export function exactly(name: string): string {
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}

export function search(data: FlameData, pattern: RegExp): SearchResult {
  const matches = new Uint8Array(data.functionNames.length);
  let matchedFunctions = 0;
  for (let index = 0; index < matches.length; index++) {
    if (!pattern.test(data.functionNames[index] as string)) continue;
    matches[index] = 1;
    matchedFunctions++;
  }
  // The root is the whole, not a function somebody looks for.
  const count = data.nodeFunction.length;
  const under = new Uint8Array(count);
  let matchedSamples = 0;
  for (let node = 1; node < count; node++) {
    const parentMatched = under[data.nodeParent[node] as number] as number;
    const matched = matches[data.nodeFunction[node] as number] as number;
    if (matched && !parentMatched) matchedSamples += data.nodeTotal[node] as number;
    under[node] = matched | parentMatched;
  }
  return { matches, matchedFunctions, matchedSamples };
}

/** The next (or previous) matching node after `from` in tree order, around the end; -1 when none matches. */
export function nextMatch(data: FlameData, matches: Uint8Array, from: number, step: 1 | -1): number {
  const count = data.nodeFunction.length;
  for (let tried = 1; tried < count + 1; tried++) {
    const node = (from + step * tried + count * 2) % count;
    if (node !== 0 && matches[data.nodeFunction[node] as number]) return node;
  }
  return -1;
}
