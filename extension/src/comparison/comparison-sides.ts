// The two sides of a comparison: which is the older one, their names, which of their functions are own code.
// No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { Capture, CaptureFacts } from "../capture/questions.js";
import { shortCommitOf } from "../commits/short-commit.js";

/** Most captures of one side. */
export const MOST_CAPTURES = 50;
const LONGEST_NAME = 80;

/** What names a capture. */
export interface NamedCapture {
  readonly uri: { readonly path: string };
  readonly capture: Pick<Capture, "facts">;
}

/** In the order in which they were recorded; those that do not say when stay where they are, at the end. */
export function olderFirst<Named extends NamedCapture>(captures: readonly Named[]): Named[] {
  const startOf = ({ capture }: Named) => capture.facts.startedUnixMs || Infinity;
  return [...captures].sort((a, b) => (startOf(a) === startOf(b) ? 0 : startOf(a) - startOf(b)));
}

/**
 * By their commits where each side has one and they differ, else by the names of their captures' files, as remarks name these: titles may be
 * but the number of a process, or a time without its day. Files of one name are told apart by their folders.
 * A commit of which files were changed has a `+`.
 */
export function sideNames(
  base: readonly NamedCapture[],
  newer: readonly NamedCapture[],
  words: Words,
): { readonly base: string; readonly new: string } {
  const tries = [commitName, fileNameOf, fileInFolder].map(
    (nameOf) => [nameOfSide(base, nameOf, words), nameOfSide(newer, nameOf, words)] as const,
  );
  const different = tries.find(([a, b]) => a !== "" && b !== "" && a !== b) ?? [
    fileNameOf(base[0]),
    fileNameOf(newer[0]),
  ];
  return { base: different[0], new: different[1] };
}

/** Name and file of each function of own code, as the capture has them; null when it is not known which are. */
export function ownFunctions(capture: Pick<Capture, "functions" | "isOwnCode">): [string, string][] | null {
  const own = capture.functions.filter((_, index) => capture.isOwnCode(index));
  return own.length === 0 ? null : own.map(({ name, file }) => [name, file]);
}

/** The source files that a side's functions of Erlang are from, as the captures report them. */
export function erlangFiles(side: readonly { readonly capture: Pick<Capture, "functions"> }[]): string[] {
  const files = side.flatMap(({ capture }) =>
    capture.functions.filter(({ kind, file }) => kind === "erlang" && file !== "").map(({ file }) => file),
  );
  return [...new Set(files)];
}

/** The commit that all captures of a side have; empty when they have none, or several. */
function commitOf(facts: CaptureFacts | undefined): string {
  const origin = facts?.origin;
  return origin === undefined ? "" : shortCommitOf({ commit: origin.commit, isDirty: origin.dirty });
}

function commitName(named: NamedCapture | undefined): string {
  return commitOf(named?.capture.facts);
}

function fileNameOf(named: NamedCapture | undefined): string {
  return plainText(named?.uri.path.split("/").at(-1) ?? "", LONGEST_NAME);
}

function fileInFolder(named: NamedCapture | undefined): string {
  return plainText(named?.uri.path.split("/").slice(-2).join("/") ?? "", LONGEST_NAME);
}

/** What all have in common; of several others the first and how many more. */
function nameOfSide(
  side: readonly NamedCapture[],
  nameOf: (named: NamedCapture | undefined) => string,
  words: Words,
): string {
  const names = new Set(side.map(nameOf));
  const first = nameOf(side[0]);
  if (names.has("") || first === "") return "";
  if (names.size === 1) return first;
  return nameOf === commitName ? "" : words.t("{0} and {1} more", first, side.length - 1);
}
