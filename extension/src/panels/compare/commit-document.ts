// A file as it was in a commit, to be read only, and what a commit changed in it. Needs no git extension.

import { isAbsolute, join, relative } from "node:path";
import * as vscode from "vscode";
import { workspaceGit } from "../../commits/workspace-commit.js";
import type { Touch, WhoseEntry } from "../../comparison/whose-line.js";
import { baseName } from "../../text/base-name.js";
import { shortCommit } from "../../commits/short-commit.js";

/** The editor shows no longer ones beside each other. */
const LONGEST_TEXT = 50 * 1024 * 1024;
const SCHEME = "extrospect-commit";
const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Editors that are brought back with the window ask for their documents again, so all that is needed is in the address. */
export function registerCommitDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent: contentOf });
}

/** The changes of a commit in a file, or the uncommitted changes against the file as it is now. */
export async function openDifference(
  { top, commit, parent }: WhoseEntry,
  { path, oldPath, lines }: Touch,
): Promise<void> {
  const before = documentOf(top, oldPath === "" ? "" : parent, oldPath || path);
  const after = commit === "" ? vscode.Uri.file(join(top, ...path.split("/"))) : documentOf(top, commit, path);
  const name = baseName(path);
  const l10n = vscode.l10n;
  const title =
    commit === ""
      ? l10n.t("{0} ({1} ↔ now)", name, shortCommit(parent))
      : l10n.t("{0} ({1})", name, shortCommit(commit));
  const [first] = lines;
  const selection = first === undefined ? {} : { selection: new vscode.Range(first.start - 1, 0, first.start - 1, 0) };
  await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: true, ...selection });
}

/** @param commit empty: the file was not there, so its text is empty */
function documentOf(top: string, commit: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: JSON.stringify({ top, commit }) });
}

/** @throws {Error} when git does not have it, which the editor shows */
async function contentOf(uri: vscode.Uri): Promise<string> {
  const { top, commit } = requestedIn(uri);
  if (commit === "") return "";
  const path = uri.path.slice(1);
  const git = await workspaceGit();
  const text =
    git === undefined || !isOfWorkspace(top) || !OBJECT_NAME.test(commit)
      ? undefined
      : await git.answer(top, ["cat-file", "blob", `${commit}:${path}`], "", { maxBytes: LONGEST_TEXT });
  if (text === undefined) throw new Error(vscode.l10n.t("git does not have {0} of {1}.", path, shortCommit(commit)));
  // The last line's end was taken off.
  return text === "" ? "" : `${text}\n`;
}

function requestedIn({ query }: vscode.Uri): { readonly top: string; readonly commit: string } {
  const parsed = JSON.parse(query) as { readonly top?: unknown; readonly commit?: unknown };
  return { top: String(parsed.top), commit: String(parsed.commit) };
}

/** An address must not run git elsewhere: only in a repository around the workspace or inside of it. */
function isOfWorkspace(top: string): boolean {
  const isBelow = (path: string, folder: string) => {
    const rest = relative(folder, path);
    return !rest.startsWith("..") && !isAbsolute(rest);
  };
  return (
    isAbsolute(top) &&
    (vscode.workspace.workspaceFolders ?? []).some(
      ({ uri }) => uri.scheme === "file" && (isBelow(uri.fsPath, top) || isBelow(top, uri.fsPath)),
    )
  );
}
