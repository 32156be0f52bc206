// Which functions a query matches, and how many samples pass through them.

import type { FlameData } from "../../contract/flame-data.js";
import type { FoldedGraph } from "./folded-frames.js";
import { runKinds } from "./run-families.js";

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
  // The root is the whole, not a function to be found.
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

/** 1 for every node of a function that matches. */
export function marksOf({ nodeFunction }: FlameData, { matches }: SearchResult): Uint8Array {
  return Uint8Array.from(nodeFunction, (index) => matches[index] as number);
}

/** The same for a graph with folded frames: their runs are searched, and mark them. */
export function searchFolded(
  { data, whole, shownAs }: FoldedGraph,
  pattern: RegExp,
): Omit<SearchResult, "matches"> & { readonly marks: Uint8Array } {
  const { matches, matchedFunctions } = search(data, pattern);
  const kinds = runKinds(whole);
  const isOfRun = (node: number) => kinds[data.nodeFunction[node] as number] !== 0;
  const marks = marksOf(data, { matches, matchedFunctions: 0, matchedSamples: 0 });
  // All of a run belongs to the frame that stands for it, and is found by its name.
  const named = new Uint8Array(marks.length);
  const namesShown = new Set<number>();
  for (let node = 1; node < named.length; node++) {
    const functionIndex = data.nodeFunction[node] as number;
    if (data.nodeFold?.[node] === 0)
      named[node] = isOfRun(node) ? (named[data.nodeParent[node] as number] as number) : 0;
    else if ((named[node] = marks[node] as number) === 1) namesShown.add(functionIndex);
  }
  const under = new Uint8Array(shownAs.length);
  let matchedSamples = 0;
  for (let node = 1; node < under.length; node++) {
    const shown = shownAs[node] as number;
    const functionIndex = whole.nodeFunction[node] as number;
    const isFound = matches[functionIndex] as number;
    if (isFound) marks[shown] = 1;
    const matched = isFound | (kinds[functionIndex] === 0 ? 0 : (named[shown] as number));
    const above = under[whole.nodeParent[node] as number] as number;
    if (matched && !above) matchedSamples += whole.nodeTotal[node] as number;
    under[node] = matched | above;
  }
  const names = data.functionNames.length - whole.functionNames.length;
  const namesFound = matches.subarray(matches.length - names).reduce((sum, found) => sum + found, 0);
  return { marks, matchedFunctions: matchedFunctions - namesFound + namesShown.size, matchedSamples };
}

/** The next (or previous) marked node after `from` in tree order, around the end; -1 when none is. */
export function nextMatch(data: FlameData, marks: Uint8Array, from: number, step: 1 | -1): number {
  const count = data.nodeFunction.length;
  for (let tried = 1; tried < count + 1; tried++) {
    const node = (from + step * tried + count * 2) % count;
    if (node !== 0 && marks[node]) return node;
  }
  return -1;
}
