// Texts of a file in recent commits, by the editor's own git extension when it is there.

import * as vscode from "vscode";
import type { TextCandidate } from "./baseline.js";

const MAX_COMMITS = 20;

interface GitRepository {
  show(ref: string, path: string): Promise<string>;
  log(options: { path?: string; maxEntries?: number }): Promise<readonly { readonly hash: string }[]>;
}

interface GitApi {
  getRepository(uri: vscode.Uri): GitRepository | null;
}

/** `HEAD` first, then the commits that touched the file, newest first. Nothing without git. */
export async function* commitTexts(file: vscode.Uri): AsyncGenerator<TextCandidate> {
  const repository = await repositoryOf(file);
  if (repository === undefined) return;
  const textAt = (ref: string): TextCandidate => ({
    origin: "commit",
    read: () => repository.show(ref, file.fsPath).catch(() => undefined),
  });
  yield textAt("HEAD");
  const commits = await repository.log({ path: file.fsPath, maxEntries: MAX_COMMITS }).catch(() => []);
  for (const { hash } of commits) yield textAt(hash);
}

async function repositoryOf(file: vscode.Uri): Promise<GitRepository | undefined> {
  const git = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>("vscode.git");
  if (git === undefined) return undefined;
  try {
    // Throws when git is switched off or not installed.
    return (await git.activate()).getAPI(1).getRepository(file) ?? undefined;
  } catch {
    return undefined;
  }
}
