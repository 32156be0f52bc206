// From commits to the captures that are compared, with remarks on the choice. No vscode in here.

import type { Comparands } from "../../../contract/messages/compare.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import type { CapturedCommit } from "./captured-commits.js";
import { MOST_CAPTURES } from "./comparison-sides.js";
import { shortCommit } from "../commits/short-commit.js";

const LONGEST_NAME = 80;

/** `ab12cd3`, or `ab12cd3 with changes`. */
export function commitText({ commit, isDirty }: Pick<CapturedCommit, "commit" | "isDirty">, words: Words): string {
  return isDirty ? words.t("{0} with changes", shortCommit(commit)) : shortCommit(commit);
}

/** @param remarks further remarks, besides how many captures are left out */
export function comparandsOfCommits(
  base: CapturedCommit,
  newer: CapturedCommit,
  words: Words,
  remarks: readonly string[] = [],
): Comparands {
  const cut = [base, newer].filter(({ captures }) => captures.length > MOST_CAPTURES);
  const leftOut = cut.map((side) =>
    words.t(
      "The {2} newest of the {0} captures of {1} are compared.",
      side.captures.length,
      commitText(side, words),
      MOST_CAPTURES,
    ),
  );
  const all = [...remarks, ...leftOut];
  return {
    base: base.captures.slice(0, MOST_CAPTURES),
    new: newer.captures.slice(0, MOST_CAPTURES),
    measure: null,
    ...(all.length === 0 ? {} : { remarks: all }),
  };
}

/** The captured commits that represent a branch and its merge base. */
export interface BranchChoice {
  readonly branch: string;
  readonly against: string;
  readonly tip: string;
  readonly mergeBase: string;
  readonly newer: CapturedCommit;
  /** Commits between that one and the tip; undefined when not known. */
  readonly behindTip: number | undefined;
  readonly base: CapturedCommit;
  /** Commits between that one and the merge base; undefined when not known. */
  readonly beforeMergeBase: number | undefined;
}

/** The commits that were meant but not compared, and those compared in their place. */
export function branchRemarks(
  { branch, against, tip, mergeBase, newer, behindTip, base, beforeMergeBase }: BranchChoice,
  words: Words,
): string[] {
  const [name, other] = [plainText(branch, LONGEST_NAME), plainText(against, LONGEST_NAME)];
  // True of either order: the page exchanges the sides.
  const remarks = [
    words.t("{0} is compared with {1}, where it branched off {2}.", name, shortCommit(mergeBase), other),
  ];
  if (newer.commit !== tip)
    remarks.push(
      words.t(
        "{0}, the newest commit of {1}, has no capture: {2} was used instead, {3}.",
        shortCommit(tip),
        name,
        commitText(newer, words),
        olderText(behindTip, words),
      ),
    );
  else if (newer.isDirty) remarks.push(words.t("{0} has captures only with uncommitted changes.", shortCommit(tip)));
  if (base.commit !== mergeBase)
    remarks.push(
      words.t(
        "The merge base {0} has no capture: {1} was used instead, {2}.",
        shortCommit(mergeBase),
        commitText(base, words),
        olderText(beforeMergeBase, words),
      ),
    );
  return remarks;
}

/** `3 commits older`. */
export function olderText(commits: number | undefined, words: Words): string {
  if (commits === undefined) return words.t("which is older");
  return commits === 1 ? words.t("1 commit older") : words.t("{0} commits older", commits);
}
