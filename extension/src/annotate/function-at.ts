// The function of a capture at a line of its source, and the lines of a function. No vscode in here.

import type { MappedFile } from "../sources/mapped-file.js";

/** From the head to the last clause's end, from 1. */
export interface FunctionLines {
  readonly line: number;
  readonly endLine: number;
}

/**
 * @param line   from 1, in the text of today
 * @param before the function that is selected: it stays so while the line is within it
 * @returns its index in the capture; -1 for none
 */
export function functionAt({ functions }: Pick<MappedFile, "functions">, line: number, before?: number): number {
  const there = functions.filter((place) => place.line > 0 && place.line <= line && place.endLine >= line);
  if (there.some(({ functionIndex }) => functionIndex === before)) return before ?? -1;
  return there.at(-1)?.functionIndex ?? -1;
}

/** The lines of a function in the text of today; undefined where the text does not have it, or no longer. */
export function linesOfFunction(
  { functions }: Pick<MappedFile, "functions">,
  functionIndex: number,
): FunctionLines | undefined {
  return functions.find((place) => place.functionIndex === functionIndex && place.line > 0);
}
