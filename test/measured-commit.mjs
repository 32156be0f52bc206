// The commit that a program measures, which writes its results into the same clone.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** With a plus where sources have changes. @param {...string} written   files that the program writes: they change while it runs */
export function measuredCommit(...written) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { cwd: join(import.meta.dirname, ".."), encoding: "utf8" }).trim();
  const changes = git("status", "--porcelain", "--", ...written.map((path) => `:!${path}`));
  return `${git("rev-parse", "--short=8", "HEAD")}${changes === "" ? "" : "+"}`;
}
