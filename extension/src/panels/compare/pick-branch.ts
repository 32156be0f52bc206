// Prompts for the branch to compare with the commit where it left another, and names the captures that represent both.

import * as vscode from "vscode";
import { plainText } from "../../../../contract/plain-text.js";
import type { Comparands } from "../../../../contract/messages/compare.js";
import { activeFolder } from "../../captures/capture-folder.js";
import {
  branchesOf,
  branchLine,
  commitsBetween,
  isShallow,
  type Branch,
  type BranchLine,
  type NoLine,
} from "../../commits/branch-line.js";
import type { GitProgram } from "../../commits/git-program.js";
import { workspaceGit } from "../../commits/workspace-commit.js";
import { branchSides, type CapturedCommit } from "../../comparison/captured-commits.js";
import { branchRemarks, commitText, comparandsOfCommits, olderText } from "../../comparison/commit-comparands.js";
import { showQuickPick, type PickerRow } from "../../messages/pickers.js";
import { showInformationMessage } from "../../messages/show-message.js";
import { ageText } from "../../text/age.js";
import { commitDescription } from "./pick-commits.js";
import { shortCommit } from "../../commits/short-commit.js";

/** Commits that are offered in the place of a merge base without captures. */
const MOST_BASES = 8;
const LONGEST_NAME = 80;
const LONGEST_SUBJECT = 100;

interface BranchRow extends PickerRow {
  readonly branch: Branch;
}

interface BaseRow extends PickerRow {
  readonly base: CapturedCommit;
  readonly older: number | undefined;
}

interface Repository {
  readonly git: GitProgram;
  readonly folder: string;
}

/** Undefined when the user chose none, or when there is nothing to compare: then a message has stated the remedy. */
export async function pickBranch(commits: readonly CapturedCommit[]): Promise<Comparands | undefined> {
  const l10n = vscode.l10n;
  const folder = activeFolder();
  const git = folder?.uri.scheme === "file" ? await workspaceGit() : undefined;
  const known = git === undefined || folder === undefined ? undefined : await branchesOf(git, folder.uri.fsPath);
  if (git === undefined || folder === undefined || known === undefined)
    return say(l10n.t("Branches come from git, and this workspace has no git repository that may be read."));
  const here: Repository = { git, folder: folder.uri.fsPath };
  const { branches, main } = known;
  const branch = await pickOne(
    branches,
    l10n.t("Compare a branch (1/2)"),
    l10n.t("The branch whose changes are compared"),
  );
  if (branch === undefined) return undefined;
  const others = [...(main === undefined || main === branch ? [] : [main]), ...branches].filter(
    (one, index, all) => one !== branch && all.indexOf(one) === index,
  );
  if (others.length === 0) return say(l10n.t("There is no other branch that {0} could have left.", nameOf(branch)));
  const against =
    others.length === 1
      ? others[0]
      : await pickOne(
          others,
          l10n.t("Compare a branch (2/2)"),
          l10n.t(
            "The branch to merge {0} into: the comparison starts at the commit where they diverge",
            nameOf(branch),
          ),
        );
  if (against === undefined) return undefined;
  const line = await branchLine(git, here.folder, branch, against);
  return typeof line === "string"
    ? say(await whyNoLine(line, branch, against, here))
    : comparandsOf(line, { branch, against, commits, here });
}

async function comparandsOf(
  line: BranchLine,
  {
    branch,
    against,
    commits,
    here,
  }: { branch: Branch; against: Branch; commits: readonly CapturedCommit[]; here: Repository },
): Promise<Comparands | undefined> {
  const l10n = vscode.l10n;
  const { branch: newer, bases } = branchSides(line, commits, MOST_BASES);
  const mergeBase = shortCommit(line.mergeBase);
  if (newer === undefined)
    return say(
      l10n.t(
        "No commit of {0} since it branched off {1} at {2} has a capture: check {0} out and start one.",
        nameOf(branch),
        nameOf(against),
        mergeBase,
      ),
    );
  if (bases.length === 0)
    return say(
      `${l10n.t("There is no capture of the merge base {0}, nor of a commit before it: check it out and start one.", mergeBase)} ${await shallowText(here)}`.trim(),
    );
  const chosen = await pickBase(bases, line, here);
  if (chosen === undefined) return undefined;
  const behindTip = newer.commit === line.tip ? 0 : await commitsBetween(here.git, here.folder, newer.commit, line.tip);
  const remarks = branchRemarks(
    {
      branch: branch.name,
      against: against.name,
      tip: line.tip,
      mergeBase: line.mergeBase,
      newer,
      behindTip,
      base: chosen.base,
      beforeMergeBase: chosen.older,
    },
    l10n,
  );
  return comparandsOfCommits(chosen.base, newer, l10n, remarks);
}

/** The merge base where it has captures; else the user chooses an older commit to represent it, the nearest first. */
async function pickBase(
  bases: readonly CapturedCommit[],
  { mergeBase }: BranchLine,
  { git, folder }: Repository,
): Promise<{ readonly base: CapturedCommit; readonly older: number | undefined } | undefined> {
  const l10n = vscode.l10n;
  const [first] = bases;
  if (first?.commit === mergeBase) return { base: first, older: 0 };
  const measured = await Promise.all(
    bases.map(async (base) => ({ base, older: await commitsBetween(git, folder, base.commit, mergeBase) })),
  );
  const rows = measured.map(({ base, older }): BaseRow => ({
    base,
    older,
    icon: "git-commit",
    label: commitText(base, l10n),
    description: `${olderText(older, l10n)} · ${commitDescription(base, "")}`,
  }));
  const title = l10n.t("The merge base {0} has no capture", shortCommit(mergeBase));
  return showQuickPick(
    rows.sort((a, b) => (a.older ?? Infinity) - (b.older ?? Infinity)),
    {
      title,
      placeHolder: l10n.t(
        "An older commit to compare with instead; for the merge base itself, check it out and start a capture",
      ),
    },
  );
}

async function pickOne(branches: readonly Branch[], title: string, placeHolder: string): Promise<Branch | undefined> {
  const rows = branches.map((branch): BranchRow => {
    const age = branch.committedUnixMs > 0 ? ageText(Date.now() - branch.committedUnixMs, vscode.env.language) : "";
    const description = [plainText(branch.subject, LONGEST_SUBJECT), age].filter((part) => part !== "").join(" · ");
    return { branch, icon: branch.ref === "HEAD" ? "git-commit" : "git-branch", label: nameOf(branch), description };
  });
  return (await showQuickPick(rows, { title, placeHolder }))?.branch;
}

async function whyNoLine(why: NoLine, branch: Branch, against: Branch, here: Repository): Promise<string> {
  const l10n = vscode.l10n;
  switch (why) {
    case "unknown":
      return l10n.t("git does not return the commits of {0} and {1}.", nameOf(branch), nameOf(against));
    case "nothingOwn":
      return l10n.t(
        "{0} has no commit that is not in {1}: there is nothing of its own to compare.",
        nameOf(branch),
        nameOf(against),
      );
    case "nothingInCommon":
      return `${l10n.t("{0} and {1} have no commit in common.", nameOf(branch), nameOf(against))} ${await shallowText(here)}`.trim();
  }
}

async function shallowText({ git, folder }: Repository): Promise<string> {
  return (await isShallow(git, folder))
    ? vscode.l10n.t("This clone is shallow: git fetch --unshallow gets the missing history.")
    : "";
}

function nameOf({ name, ref }: Branch): string {
  return ref === "HEAD" ? vscode.l10n.t("HEAD (no branch)") : plainText(name, LONGEST_NAME);
}

function say(text: string): undefined {
  void showInformationMessage(text);
  return undefined;
}
