// The commits between two others, however they relate. No vscode in here.

import { isShallow } from "./branch-line.js";
import type { GitProgram } from "./git-program.js";
import { containsCommit } from "./known-commit.js";

/**
 * - `ahead`: the newer side has all that the older one has.
 * - `behind`: the older side has all that the newer one has, so the range is the other way round.
 * - `diverged`: each has commits that the other lacks; the range begins where they parted.
 */
export type Relation = "same" | "ahead" | "behind" | "diverged";

export interface CommitRange {
  readonly relation: Relation;
  /** Whole names. The range consists of the commits of `newer` that `older` lacks. */
  readonly older: string;
  readonly newer: string;
  /** Commits in it; undefined when git does not report it. */
  readonly count: number | undefined;
  /** History ends early because the clone is shallow: further commits may exist elsewhere. */
  readonly isShallow: boolean;
}

/** Why there is none. */
export type NoRange =
  | { readonly why: "unnamed"; readonly side: "base" | "new" }
  /** The repository has no such commit. */
  | { readonly why: "absent"; readonly commit: string; readonly isShallow: boolean }
  | { readonly why: "unrelated"; readonly isShallow: boolean }
  /** Git failed, or took too long. */
  | { readonly why: "unanswered" };

/** Exit code of git. */
const NO_MERGE_BASE = 1;
const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** @param base what the captures of both sides say; empty when they say nothing */
export async function commitRange(
  git: GitProgram,
  top: string,
  base: string,
  newer: string,
): Promise<CommitRange | NoRange> {
  if (!COMMIT_NAME.test(base)) return { why: "unnamed", side: "base" };
  if (!COMMIT_NAME.test(newer)) return { why: "unnamed", side: "new" };
  const shallow = await isShallow(git, top);
  for (const commit of [base, newer]) {
    const isThere = await containsCommit(git, top, commit);
    if (isThere === undefined) return { why: "unanswered" };
    if (!isThere) return { why: "absent", commit, isShallow: shallow };
  }
  if (base === newer) return { relation: "same", older: base, newer, count: 0, isShallow: shallow };
  const common = await git.ended(top, ["merge-base", base, newer]);
  if (common?.code === NO_MERGE_BASE) return { why: "unrelated", isShallow: shallow };
  const mergeBase = common?.code === 0 ? common.text : "";
  if (!COMMIT_NAME.test(mergeBase)) return { why: "unanswered" };
  const relation = mergeBase === base ? "ahead" : mergeBase === newer ? "behind" : "diverged";
  const [from, to] = relation === "behind" ? [newer, base] : [mergeBase, newer];
  const count = await git.answer(top, ["rev-list", "--count", `${from}..${to}`]);
  return {
    relation,
    older: from,
    newer: to,
    count: count === undefined || !/^\d{1,9}$/.test(count) ? undefined : Number(count),
    isShallow: shallow,
  };
}
