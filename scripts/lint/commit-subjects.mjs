// The subjects of commits, as text for the lint of words.
import { execFileSync } from "node:child_process";
import { hidden } from "./hidden.mjs";

/** Subjects after this commit are checked. Commits that are published stay as they are: then this one moves behind them. */
const SINCE = "683ddff106e5807db4011665cfa4cb7004d0c3a3";

/**
 * Without merges, the newest first; none where there is no clone of these sources. A shallow clone that lacks the
 * commit has newer ones alone, as far as can be known.
 * @param {string} root
 * @param {string} [since]
 * @returns {{commit: string, text: string}[]}
 */
export function commitSubjects(root, since = SINCE) {
  /** @param {string[]} args */
  const git = (...args) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  const isThere = () => {
    try {
      git("cat-file", "-e", `${since}^{commit}`);
      return true;
    } catch {
      return false;
    }
  };
  try {
    const [prefix, isShallow] = git("rev-parse", "--show-prefix", "--is-shallow-repository").split("\n");
    // These sources may be a folder in a repository of others.
    if (prefix !== "") return [];
    const has = isThere();
    if (!has && isShallow !== "true") return [];
    const lines = git("log", "--no-merges", "--format=%h %s", has ? `${since}..HEAD` : "HEAD").split("\n");
    return lines.flatMap((line) => {
      const [, commit, text = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
      return commit === undefined ? [] : [{ commit, text: text.replace(/`[^`]+`/g, hidden) }];
    });
  } catch {
    return [];
  }
}
