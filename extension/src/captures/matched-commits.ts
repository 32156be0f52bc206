// Commits that a capture's build and release lead to, in the workspace.

import * as vscode from "vscode";
import type { BuildFacts } from "../../../contract/editor-module.generated.js";
import { commitOffers, type CommitOffer, type VersionTag } from "../builds/commit-offers.js";
import { workspaceFiles } from "../builds/workspace-files.js";
import { commitOfFolder, workspaceGit } from "../commits/workspace-commit.js";
import { Deadline } from "../deadline.js";
import { matchBuilds } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";
import { withStatusBarProgress } from "../messages/show-message.js";
import { activeFolder } from "./capture-folder.js";

/** A walk that takes longer leaves the user to choose without it. */
const PATIENCE_MS = 20_000;

/**
 * None when the capture does not describe its build, outside of folders of this machine, and in workspaces that are not
 * trusted.
 */
export async function matchedCommits(
  facts: BuildFacts | undefined,
  log: vscode.LogOutputChannel,
): Promise<readonly CommitOffer[]> {
  const folder = activeFolder();
  if (facts === undefined || folder?.uri.scheme !== "file" || !vscode.workspace.isTrusted) return [];
  const root = folder.uri.fsPath;
  try {
    return await withStatusBarProgress(vscode.l10n.t("Comparing builds of the workspace with the capture…"), () =>
      offersIn(root, folder.uri, facts),
    );
  } catch (error) {
    // Without matches the user can still choose a commit by hand.
    log.warn(error instanceof Error ? error.message : String(error));
    return [];
  }
}

async function offersIn(root: string, folder: vscode.Uri, facts: BuildFacts): Promise<readonly CommitOffer[]> {
  const deadline = new Deadline(PATIENCE_MS);
  const answer = await matchedBuilds(root, facts, deadline.signal).finally(() => {
    deadline.dispose();
  });
  if (answer.type === "failed") throw new Error(answer.value);
  const origin = (await commitOfFolder(folder))?.origin;
  const head = origin === undefined || origin.commit === "" ? undefined : origin;
  return commitOffers(answer.value, head, await tagsNamed(root, answer.value.tags), vscode.l10n);
}

async function matchedBuilds(root: string, facts: BuildFacts, signal: AbortSignal) {
  const { files, contents } = await workspaceFiles(root, facts, undefined, signal);
  return matchBuilds(moduleFiles(), { facts, files: [...files] }, contents, signal);
}

async function tagsNamed(root: string, names: readonly string[]): Promise<VersionTag[]> {
  const git = await workspaceGit();
  const tags = await Promise.all(
    names.map(async (tag) => {
      const commit = await git?.answer(root, [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        `refs/tags/${tag}^{commit}`,
      ]);
      return commit !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? [{ tag, commit }] : [];
    }),
  );
  return tags.flat();
}
