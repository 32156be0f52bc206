// The files and submodules of a commit, as git lists them. No vscode in here.

import type { Bounds, GitProgram } from "./git-program.js";

/** A list of a million files takes some seconds. */
export const LIST_PATIENCE_MS = 30_000;

/** The mode of a submodule. */
export const SUBMODULE = "160000";

export interface TreeEntry {
  /** `100644` or `100755` of a file, `120000` of a link, {@link SUBMODULE}. */
  readonly mode: string;
  /** Git's name of the content; of a submodule its commit. */
  readonly object: string;
  /** From the top of the repository, with slashes. */
  readonly path: string;
}

/** @param commit whole name @returns whether the list is whole */
export function eachTreeEntry(
  git: GitProgram,
  folder: string,
  commit: string,
  take: (entry: TreeEntry) => void,
  bounds: Pick<Bounds, "patienceMs"> = {},
): Promise<boolean> {
  return git.parts(
    folder,
    ["ls-tree", "-r", "-z", "--full-tree", commit],
    (text) => {
      // Mode, kind, object, a tab, path.
      const [, mode, object, path] = /^(\d+) (?:blob|commit) ([0-9a-f]+)\t(.+)$/s.exec(text) ?? [];
      if (mode !== undefined && object !== undefined && path !== undefined) take({ mode, object, path });
    },
    bounds,
  );
}
