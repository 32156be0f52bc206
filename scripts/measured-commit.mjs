// The commit that is measured, short.
import { execFileSync } from "node:child_process";
import { ROOT } from "./project.mjs";

/** With `+` for changes that are not committed, except those of files that the measurement itself writes. @param {...string} written */
export function measuredCommit(...written) {
  const git = (/** @type {string[]} */ ...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  const changes = git("status", "--porcelain", "--", ...written.map((file) => `:!${file}`));
  return `${git("rev-parse", "--short=8", "HEAD")}${changes === "" ? "" : "+"}`;
}
