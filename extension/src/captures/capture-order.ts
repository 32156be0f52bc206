// The order of captures: by when they began. The time of a file is no measure of it, since notes, tags, copies and checkouts change it. No vscode in here.

import type { CaptureSummary } from "./capture-summary.js";

/** The known facts of when a capture began. */
export interface Begun {
  /** Milliseconds since 1970 of the file; of one that runs, when it began. */
  readonly mtime: number;
  /** Undefined: not read yet; null: it cannot be read. */
  readonly summary: Pick<CaptureSummary, "startedUnixMs"> | null | undefined;
}

/** Milliseconds since 1970. The time of the file stands in where the capture has no start, or has not been read. */
export function beganUnixMs({ summary, mtime }: Begun): number {
  return summary?.startedUnixMs || mtime;
}

/** Those that began at once stay in the order of their names, whatever happens to their files. */
export function newestFirst<Row extends Begun & { readonly name: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => {
    const [one, other] = [beganUnixMs(a), beganUnixMs(b)];
    return one === other ? (a.name < b.name ? -1 : 1) : other > one ? 1 : -1;
  });
}
