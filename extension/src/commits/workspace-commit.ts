// Which commit a folder of the workspace is at: by the editor's own git extension, else by git itself.

import * as vscode from "vscode";
import { commitByGit, describeByGit, originOf, type FolderCommit } from "./folder-commit.js";
import { GitProgram } from "./git-program.js";

/** The part of the git extension's interface that is used here. */
interface GitApi {
  readonly git?: { readonly path: string };
  getRepository(uri: vscode.Uri): GitRepository | null;
}

interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly HEAD: { readonly name?: string; readonly commit?: string } | undefined;
    readonly remotes: readonly { readonly name: string; readonly fetchUrl?: string }[];
    readonly mergeChanges: readonly unknown[];
    readonly indexChanges: readonly unknown[];
    readonly workingTreeChanges: readonly { readonly status: number }[];
  };
  status(): Promise<void>;
}

/** Not a change: the git extension can be set to list untracked files among the changes. */
const UNTRACKED = 7;
const PATIENCE_MS = 5_000;

/** Undefined without a repository. Never later than in some seconds. */
export async function commitOfFolder(folder: vscode.Uri): Promise<FolderCommit | undefined> {
  if (folder.scheme !== "file" || !vscode.workspace.isTrusted) return undefined;
  const api = await gitApi();
  const git = gitProgram(api);
  const repository = api?.getRepository(folder) ?? undefined;
  const byApi = repository === undefined ? undefined : await commitByApi(repository, git);
  return byApi ?? commitByGit(git, folder.fsPath);
}

/** The git that the editor uses; undefined in a workspace that is not trusted, whose configuration it would read. */
export async function workspaceGit(): Promise<GitProgram | undefined> {
  return vscode.workspace.isTrusted ? gitProgram(await gitApi()) : undefined;
}

function gitProgram(api: GitApi | undefined): GitProgram {
  return new GitProgram(api?.git?.path, PATIENCE_MS);
}

async function commitByApi(repository: GitRepository, git: GitProgram): Promise<FolderCommit | undefined> {
  if (!(await inTime(repository.status()))) return undefined;
  const { rootUri, state } = repository;
  const { HEAD: head, remotes, mergeChanges, indexChanges, workingTreeChanges } = state;
  if (head === undefined) return undefined;
  const remote = remotes.find(({ name }) => name === "origin") ?? remotes[0];
  const tracked = workingTreeChanges.filter(({ status: kind }) => kind !== UNTRACKED);
  const top = rootUri.fsPath;
  const origin = originOf({
    commit: head.commit ?? "",
    branch: head.name ?? "",
    address: remote?.fetchUrl ?? "",
    describe: await describeByGit(git, top, head.commit ?? ""),
    dirty: mergeChanges.length + indexChanges.length + tracked.length > 0,
  });
  return { top, origin };
}

async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>("vscode.git");
  if (extension === undefined) return undefined;
  try {
    // Throws when git is switched off or not installed.
    return (await extension.activate()).getAPI(1);
  } catch {
    return undefined;
  }
}

/** Whether it was done in time, and without an error. */
async function inTime(work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => {
      resolve(false);
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
