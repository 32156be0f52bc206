// The rule behind a file that the user picked: where its path and the one that the VM reports are alike to the end, the
// parts before are one folder here and there. No vscode in here.

import { shownName } from "../../../../contract/plain-text.js";
import { folderText, pathParts } from "./path-prefix.js";

export interface FoundRule {
  /** As settings have it: `/app/`. */
  readonly prefix: string;
  /** Absolute path of the folder here, with slashes, without one at the end. */
  readonly folder: string;
}

/** The file and the folder around it: a file's name alone is in many folders. */
const LEAST_ALIKE = 2;

/**
 * @param reported by the VM
 * @param picked absolute, with slashes
 * @param workspaceFolder that the file is in; the rule's folder is not above it. Undefined for a file outside
 * @returns undefined when the paths say too little for a rule
 */
export function ruleFrom(reported: string, picked: string, workspaceFolder: string | undefined): FoundRule | undefined {
  const there = pathParts(reported);
  const here = pathParts(picked);
  if (there === undefined || here === undefined || !here.isAbsolute) return undefined;
  const alike = commonEnd(there.parts, here.parts);
  // A relative path that is alike as a whole does not show its application.
  if (!there.isAbsolute && alike === there.parts.length) return undefined;
  const highest = workspaceFolder === undefined ? 1 : (pathParts(workspaceFolder)?.parts.length ?? 1);
  const isDrive = /^[a-z]:$/i.test(there.parts[0] ?? "");
  const shared = Math.min(alike, there.parts.length - (isDrive ? 2 : 1), here.parts.length - highest);
  if (shared < LEAST_ALIKE) return undefined;
  const prefix = folderText({ isAbsolute: there.isAbsolute, parts: there.parts.slice(0, -shared) });
  // As addresses have it, where a drive of Windows has a slash in front.
  const folder = `/${here.parts.slice(0, -shared).join("/")}`;
  // Users read rules: one must not look like another rule.
  return isReadable(prefix) && isReadable(folder) ? { prefix, folder } : undefined;
}

function isReadable(text: string): boolean {
  return shownName(text, text.length) === text;
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}
