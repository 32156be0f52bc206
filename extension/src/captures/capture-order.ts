// The order of captures: by when they began. The time of a file is no measure of it, since notes, tags, copies and checkouts change it. No vscode in here.

import { timeInName } from "./capture-file.js";
import type { CaptureSummary } from "./capture-summary.js";

/** The known facts of when a capture began. */
export interface Begun {
  /** Milliseconds since 1970 that stand in for its start; of one that runs, when it began. @see standInUnixMs */
  readonly mtime: number;
  /** Undefined: not read yet; null: it cannot be read. */
  readonly summary: Pick<CaptureSummary, "startedUnixMs"> | null | undefined;
}

/** Milliseconds since 1970. Another time stands in where the capture has no start, or has not been read. */
export function beganUnixMs({ summary, mtime }: Begun): number {
  return summary?.startedUnixMs || mtime;
}

/**
 * For a file that is to be read: its row is not to move before that, whatever has changed the file.
 * @param known when it began as it was read before, milliseconds since 1970; undefined or 0 when it was not
 */
export function standInUnixMs(name: string, known: number | undefined, fileTime: number): number {
  return known || (timeInName(name)?.getTime() ?? fileTime);
}

/** Those that began at once stay in the order of their names, whatever happens to their files. */
export function newestFirst<Row extends Begun & { readonly name: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => {
    const [one, other] = [beganUnixMs(a), beganUnixMs(b)];
    return one === other ? (a.name < b.name ? -1 : 1) : other > one ? 1 : -1;
  });
}
