// Whether a repository contains a commit. No vscode in here.

import type { GitProgram } from "./git-program.js";

const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** @param commit whole name @returns undefined where git gave no answer: it failed, or took too long */
export async function containsCommit(git: GitProgram, top: string, commit: string): Promise<boolean | undefined> {
  if (!COMMIT_NAME.test(commit)) return false;
  // It ends well whether the repository has the object or not, unlike other questions.
  const answer = await git.answer(top, ["cat-file", "--batch-check=%(objecttype)"], `${commit}\n`);
  return answer === undefined ? undefined : answer === "commit";
}
