// A commit as it is shown everywhere. No vscode in here.

import { plainText } from "../../../contract/plain-text.js";

const SHORT = 7;

/** `ab12cd3`, of what a capture or git has as the commit. */
export function shortCommit(commit: string): string {
  return plainText(commit).slice(0, SHORT);
}

/** `ab12cd3`, with `+` when the sources differed from it; empty when no commit is known. */
export function shortCommitOf({ commit, isDirty }: { readonly commit: string; readonly isDirty: boolean }): string {
  return commit === "" ? "" : `${shortCommit(commit)}${isDirty ? "+" : ""}`;
}
