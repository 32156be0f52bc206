// Which commit a folder is at. No vscode in here.

import type { OriginFacts } from "../../../contract/protocol.generated.js";
import type { GitProgram } from "./git-program.js";
import { withoutCredentials } from "./remote-address.js";

export interface FolderCommit {
  /** The top folder of the repository; absolute path. */
  readonly top: string;
  readonly origin: OriginFacts;
}

const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const LONGEST_NAME = 256;

/** The commit as git reports it; undefined without git, a repository with a work tree, or the right to read it. */
export async function commitByGit(git: GitProgram, folder: string): Promise<FolderCommit | undefined> {
  const top = await git.answer(folder, ["rev-parse", "--show-toplevel"]);
  if (top === undefined || top === "") return undefined;
  const [commit = "", branch = "", remotes = ""] = await Promise.all([
    git.answer(top, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
    git.answer(top, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git.answer(top, ["remote"]),
  ]);
  const names = remotes.split("\n");
  const remote = names.includes("origin") ? "origin" : (names[0] ?? "");
  const [address = "", describe, changes] = await Promise.all([
    remote === "" ? undefined : git.answer(top, ["remote", "get-url", remote]),
    describeByGit(git, top, commit),
    commit === "" ? "" : git.answer(top, ["status", "--porcelain", "-z", "--untracked-files=no"]),
  ]);
  // A timeout of git counts as changed.
  return {
    top,
    origin: originOf({ commit, branch, address: address.split("\n")[0] ?? "", describe, dirty: changes !== "" }),
  };
}

export async function describeByGit(git: GitProgram, top: string, commit: string): Promise<string> {
  return commit === "" ? "" : ((await git.answer(top, ["describe", "--tags", "--always"])) ?? "");
}

interface UncheckedOrigin {
  readonly commit: string;
  readonly branch: string;
  readonly address: string;
  readonly describe: string;
  readonly dirty: boolean;
}

/** Facts from an outside source, cut to their limits. */
export function originOf({ commit, branch, address, describe, dirty }: UncheckedOrigin): OriginFacts {
  return {
    repository: withoutCredentials(address),
    commit: COMMIT_NAME.test(commit) ? commit : "",
    branch: branch.slice(0, LONGEST_NAME),
    dirty,
    describe: describe.slice(0, LONGEST_NAME),
    sources: {},
    assigned: false,
  };
}
