// Branches of a repository, and where one left another. No vscode in here.

import type { GitProgram } from "./git-program.js";

export interface Branch {
  /** `main`, `origin/main`; `HEAD` where no branch is checked out. */
  readonly name: string;
  /** The branch's name in calls of git. */
  readonly ref: string;
  /** Milliseconds since 1970 of its newest commit; 0 when not known. */
  readonly committedUnixMs: number;
  /** First line of the message of its newest commit, as it is. */
  readonly subject: string;
}

export interface Branches {
  /** That one first which is checked out, then by their newest commits. */
  readonly branches: readonly Branch[];
  /** The usual base of comparisons: the remote's default branch, else a branch with that name. */
  readonly main: Branch | undefined;
}

/** The commits of a branch since it left another. */
export interface BranchLine {
  readonly tip: string;
  readonly mergeBase: string;
  /** Newest first, without the merge base; cut where there are very many. */
  readonly own: readonly string[];
  /** The merge base and its ancestors, newest first; cut where there are very many. */
  readonly before: readonly string[];
}

/** Why there is no such line. */
export type NoLine = "unknown" | "nothingInCommon" | "nothingOwn";

const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MOST_BRANCHES = 500;
const MOST_COMMITS = 5_000;
const USUAL_MAIN = ["main", "master", "trunk", "develop", "default"];
const HEADS = "refs/heads/";
const REMOTES = "refs/remotes/";

/** Undefined without a repository. */
export async function branchesOf(git: GitProgram, folder: string): Promise<Branches | undefined> {
  const format = ["%(refname)", "%(committerdate:unix)", "%(contents:subject)"].join("%00");
  const [output, head, remoteMain] = await Promise.all([
    git.answer(folder, [
      "for-each-ref",
      `--format=${format}`,
      "--sort=-committerdate",
      `--count=${String(MOST_BRANCHES)}`,
      HEADS,
      REMOTES,
    ]),
    git.answer(folder, ["symbolic-ref", "--quiet", "HEAD"]),
    git.answer(folder, ["symbolic-ref", "--quiet", `${REMOTES}origin/HEAD`]),
  ]);
  if (output === undefined) return undefined;
  const all = output.split("\n").flatMap((line): Branch[] => {
    const [ref = "", seconds = "", subject = ""] = line.split("\0");
    const name = shortName(ref);
    return name === "" ? [] : [{ name, ref, subject, committedUnixMs: Number(seconds) * 1000 || 0 }];
  });
  const local = new Set(all.filter(({ ref }) => ref.startsWith(HEADS)).map(({ name }) => name));
  // A remote's branch that is here, too, would be the same entry twice.
  const shown = all.filter(
    ({ ref, name }) => ref.startsWith(HEADS) || ref === remoteMain || !local.has(name.slice(name.indexOf("/") + 1)),
  );
  const detached: Branch[] =
    head === undefined && all.length > 0 ? [{ name: "HEAD", ref: "HEAD", subject: "", committedUnixMs: 0 }] : [];
  const main =
    all.find(({ ref }) => ref === remoteMain) ??
    USUAL_MAIN.flatMap((name) => all.find(({ ref }) => ref === `${HEADS}${name}`) ?? [])[0];
  const current = shown.filter(({ ref }) => ref === head);
  return { branches: [...detached, ...current, ...shown.filter((branch) => !current.includes(branch))], main };
}

/** The commits that a branch has and the other lacks, and the common ancestor of both. */
export async function branchLine(
  git: GitProgram,
  folder: string,
  branch: Branch,
  against: Branch,
): Promise<BranchLine | NoLine> {
  const [tip, other] = await Promise.all(
    [branch, against].map(({ ref }) =>
      git.answer(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]),
    ),
  );
  if (tip === undefined || other === undefined || !COMMIT_NAME.test(tip) || !COMMIT_NAME.test(other)) return "unknown";
  const mergeBase = (await git.answer(folder, ["merge-base", tip, other])) ?? "";
  if (!COMMIT_NAME.test(mergeBase)) return "nothingInCommon";
  if (mergeBase === tip) return "nothingOwn";
  const list = async (...commits: string[]) => {
    const output = await git.answer(folder, [
      "rev-list",
      "--topo-order",
      `--max-count=${String(MOST_COMMITS)}`,
      ...commits,
    ]);
    return (output ?? "").split("\n").filter((line) => COMMIT_NAME.test(line));
  };
  const [own, before] = await Promise.all([list(tip, `^${mergeBase}`), list(mergeBase)]);
  return { tip, mergeBase, own, before };
}

/** How many commits lie between an older commit and a newer one, that included; undefined when git does not say. */
export async function commitsBetween(
  git: GitProgram,
  folder: string,
  older: string,
  newer: string,
): Promise<number | undefined> {
  if (!COMMIT_NAME.test(older) || !COMMIT_NAME.test(newer)) return undefined;
  const output = await git.answer(folder, ["rev-list", "--count", newer, `^${older}`]);
  return output === undefined || !/^\d{1,9}$/.test(output) ? undefined : Number(output);
}

/** Whether history ends somewhere because the clone was made so. */
export async function isShallow(git: GitProgram, folder: string): Promise<boolean> {
  return (await git.answer(folder, ["rev-parse", "--is-shallow-repository"])) === "true";
}

function shortName(ref: string): string {
  if (ref.startsWith(HEADS)) return ref.slice(HEADS.length);
  return ref.startsWith(REMOTES) && !ref.endsWith("/HEAD") ? ref.slice(REMOTES.length) : "";
}
