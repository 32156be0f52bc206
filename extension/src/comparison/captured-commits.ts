// The commits that captures are of, and which captures stand for a commit or a branch. No vscode in here.

import type { BranchLine } from "../commits/branch-line.js";
import { beganUnixMs, type Begun } from "../captures/capture-order.js";
import type { CaptureSummary } from "../captures/capture-summary.js";

/** The facts that are used of a row of the list of captures. */
export interface CommittedCapture extends Begun {
  readonly uri: { toString(): string };
  /** Undefined: not read yet; null: it cannot be read. */
  readonly summary: Pick<CaptureSummary, "commit" | "branch" | "isDirty" | "startedUnixMs"> | null | undefined;
}

/** A commit with captures; those of changed sources are one of their own. */
export interface CapturedCommit {
  /** Whole name. */
  readonly commit: string;
  /** The sources differed from the commit. */
  readonly isDirty: boolean;
  /** From the newest capture; empty when it has none. */
  readonly branch: string;
  /** Addresses, the newest first. */
  readonly captures: readonly string[];
  /** Milliseconds since 1970 of the newest. */
  readonly newestUnixMs: number;
}

/** The commits that represent a branch in a comparison, and its base. */
export interface BranchSides {
  /** Of the commits since the merge base the newest with captures; undefined when none has. */
  readonly branch: CapturedCommit | undefined;
  /** The merge base when it has captures, else the older commits that have some, the nearest first. */
  readonly bases: readonly CapturedCommit[];
}

/**
 * Along history, newest first; commits that are not in there after those that are, by their newest captures.
 * @param history whole names, newest first
 */
export function capturedCommits(rows: readonly CommittedCapture[], history: readonly string[]): CapturedCommit[] {
  const byCommit = new Map<
    string,
    { readonly at: number; readonly address: string; readonly row: CommittedCapture }[]
  >();
  for (const row of rows) {
    if (!row.summary?.commit) continue;
    const key = `${row.summary.commit}${row.summary.isDirty ? "+" : ""}`;
    const one = { at: beganUnixMs(row), address: row.uri.toString(), row };
    const known = byCommit.get(key);
    if (known === undefined) byCommit.set(key, [one]);
    else known.push(one);
  }
  const place = new Map(history.map((commit, index) => [commit, index]));
  const commits = [...byCommit.values()].flatMap((captures): CapturedCommit[] => {
    const newestFirst = captures.sort((a, b) => b.at - a.at);
    const [newest] = newestFirst;
    if (!newest?.row.summary) return [];
    const { commit, branch, isDirty } = newest.row.summary;
    return [{ commit, isDirty, branch, captures: newestFirst.map(({ address }) => address), newestUnixMs: newest.at }];
  });
  const placeOf = ({ commit }: CapturedCommit) => place.get(commit) ?? history.length;
  // Changes are made on top of a commit, so they are newer than it.
  return commits.sort(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      (a.commit === b.commit ? Number(b.isDirty) - Number(a.isDirty) : b.newestUnixMs - a.newestUnixMs),
  );
}

/** The captures that represent a commit: those of the commit itself, else those with changes on top of it. */
export function captured(commits: readonly CapturedCommit[], commit: string): CapturedCommit | undefined {
  const its = commits.filter((one) => one.commit === commit);
  return its.find(({ isDirty }) => !isDirty) ?? its[0];
}

/**
 * The commits that represent both sides of a branch. The base has to be the commit itself: changes on top of it may be
 * the branch's own.
 */
export function branchSides(
  { own, before }: BranchLine,
  commits: readonly CapturedCommit[],
  most: number,
): BranchSides {
  const clean = commits.filter(({ isDirty }) => !isDirty);
  const first = own.find((commit) => captured(commits, commit) !== undefined);
  const bases: CapturedCommit[] = [];
  for (const commit of before) {
    const found = captured(clean, commit);
    if (found === undefined) continue;
    bases.push(found);
    if (bases.length === most || commit === before[0]) break;
  }
  return { branch: first === undefined ? undefined : captured(commits, first), bases };
}

/** Of two commits the older one first: by history, else by when their captures were taken. */
export function olderCommitFirst(
  a: CapturedCommit,
  b: CapturedCommit,
  history: readonly string[],
): readonly [CapturedCommit, CapturedCommit] {
  const [placeA, placeB] = [history.indexOf(a.commit), history.indexOf(b.commit)];
  const isOlder =
    placeA >= 0 && placeB >= 0 && placeA !== placeB
      ? placeA > placeB
      : a.commit === b.commit
        ? !a.isDirty
        : a.newestUnixMs <= b.newestUnixMs;
  return isOlder ? [a, b] : [b, a];
}
