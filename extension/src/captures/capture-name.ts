// What a capture is called in rows, pickers, titles and the status bar. No vscode in here.

import { plainText } from "../../../contract/plain-text.js";
import { momentText } from "../text/moment.js";
import { beforeTime, givenName, stemOf, timeInName } from "./capture-file.js";

export interface CaptureName {
  /** The target and when it began, or the name that the user gave the file. */
  readonly label: string;
  /** Target and time, where the label is another name; the name that the user gave a capture of several files; else empty. */
  readonly details: string;
}

/** Where and when a name is shown. */
export interface NamePlace {
  readonly nowUnixMs: number;
  readonly language?: string | undefined;
  /** Most characters of the file's name, and of the target. */
  readonly longest?: number;
}

/** The facts of a summary that name its capture. */
export interface NamingFacts {
  readonly target: string;
  readonly startedUnixMs: number;
  readonly isWaits: boolean;
}

/** @param summary undefined: not read yet; null: it cannot be read */
export function captureName(fileName: string, summary: NamingFacts | null | undefined, place: NamePlace): CaptureName {
  const { longest = 120 } = place;
  const stem = stemOf(fileName);
  if (summary === null || summary === undefined) return { label: plainText(stem, longest), details: "" };
  const target = plainText(summary.target, longest);
  if (target === "" || timeInName(fileName) === undefined)
    return { label: plainText(stem, longest), details: nameWithTime(target, summary.startedUnixMs, place) };
  // Where processes wait is often captured together with CPU time: the file's name, `shop-waits`, distinguishes the two.
  const name = summary.isWaits ? plainText(beforeTime(fileName), longest) : target;
  const details = summary.isWaits ? target : plainText(givenName(fileName), longest);
  return { label: nameWithTime(name, summary.startedUnixMs, place), details };
}

/** `shop@localhost · 14:03`. @param startedUnixMs 0 when unknown */
export function nameWithTime(name: string, startedUnixMs: number, { nowUnixMs, language }: NamePlace): string {
  return joined(name, startedUnixMs === 0 ? "" : momentText(startedUnixMs, nowUnixMs, language));
}

/** Facts in one line; empty ones are left out. */
export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}
