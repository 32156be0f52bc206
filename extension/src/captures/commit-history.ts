// The commits of the workspace, in the order of history.

import { commitOfFolder, workspaceGit } from "../commits/workspace-commit.js";
import { plainText } from "../../../contract/plain-text.js";
import { activeFolder } from "./capture-folder.js";

export interface HistoryCommit {
  readonly commit: string;
  /** First line of its message, fit to show. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly madeUnixMs: number;
}

const MOST_COMMITS = 5_000;

/** Newest first, those of all branches; none without a repository. */
export async function commitHistory(most = MOST_COMMITS): Promise<readonly HistoryCommit[]> {
  const folder = activeFolder();
  if (folder?.uri.scheme !== "file") return [];
  const git = await workspaceGit();
  const log = await git?.answer(folder.uri.fsPath, [
    "log",
    "--topo-order",
    "--format=%H %ct %s",
    `--max-count=${String(most)}`,
    "HEAD",
    "--branches",
  ]);
  return (log ?? "").split("\n").flatMap((line) => {
    const [, commit, seconds, subject] = /^([0-9a-f]{40,64}) (\d+) (.*)$/.exec(line) ?? [];
    return commit === undefined || subject === undefined
      ? []
      : [{ commit, subject: plainText(subject, 100), madeUnixMs: Number(seconds) * 1000 }];
  });
}

/** The whole name of a commit that the user typed; undefined when there is none. */
export async function commitNamed(
  text: string,
): Promise<{ readonly commit: string; readonly describe: string } | undefined> {
  const folder = activeFolder();
  const isWhole = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
  if (folder?.uri.scheme === "file") {
    const git = await workspaceGit();
    const commit = await git?.answer(folder.uri.fsPath, [
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${text}^{commit}`,
    ]);
    if (commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit))
      return {
        commit,
        describe: (await git?.answer(folder.uri.fsPath, ["describe", "--tags", "--always", commit])) ?? "",
      };
  }
  // Of another repository, or without git.
  return isWhole ? { commit: text, describe: "" } : undefined;
}

/** Address of the workspace's remote, without credentials; empty when there is none. */
export async function workspaceRemote(): Promise<string> {
  const folder = activeFolder();
  return folder === undefined ? "" : ((await commitOfFolder(folder.uri))?.origin.repository ?? "");
}
