// Repositories inside of a repository. No vscode in here.

import { join } from "node:path";
import type { GitProgram } from "./git-program.js";
import { eachTreeEntry, SUBMODULE } from "./tree-entries.js";

export interface Submodule {
  /** Path below the top folder of the outer repository, with slashes. */
  readonly path: string;
  /** What the outer commit names; whole name. */
  readonly commit: string;
  /** Its own top folder; undefined when it is not checked out. */
  readonly top: string | undefined;
}

const MOST = 50;
const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Those that a commit names; none where git does not say. @param commit whole name */
export async function submodulesOf(git: GitProgram, top: string, commit: string): Promise<Submodule[]> {
  if (!COMMIT_NAME.test(commit)) return [];
  const links: { path: string; commit: string }[] = [];
  await eachTreeEntry(git, top, commit, ({ mode, object, path }) => {
    if (mode === SUBMODULE) links.push({ path, commit: object });
  });
  return Promise.all(
    links.slice(0, MOST).map(async (link) => {
      const folder = join(top, link.path);
      // In one that is not checked out, git finds the repository around it.
      const prefix = await git.answer(folder, ["rev-parse", "--show-prefix"]);
      return { ...link, top: prefix === "" ? folder : undefined };
    }),
  );
}

/** What another commit of the outer repository names; undefined when it has no such submodule. */
export async function submoduleCommit(
  git: GitProgram,
  top: string,
  outer: string,
  path: string,
): Promise<string | undefined> {
  if (!COMMIT_NAME.test(outer)) return undefined;
  const output = await git.answer(top, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${outer}:${path}`]);
  return output !== undefined && COMMIT_NAME.test(output) ? output : undefined;
}
