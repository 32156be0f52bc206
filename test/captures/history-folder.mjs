// A folder of captures of several commits, made of recorded runs: from one commit on a function takes three times as long.
import "../../scripts/outer-repository.mjs";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changedCapture, takenOf } from "../changed-capture.mjs";

export const RECORDED = new URL("../../native-helper/crates/verdict/compare/tests/recorded/", import.meta.url);
export const FUNCTION = "demo_pricing:best_price/2";
export const COMMITS = 10;
export const SLOWER_FROM = 6;
export const FIRST_UNIX_MS = 1_700_000_000_000;

/** A repository with so many commits, the oldest first; their names are the same everywhere. @param {string} folder */
export function makeRepository(folder) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", "-c", "commit.gpgsign=false", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: {
        ...process.env,
        GIT_AUTHOR_DATE: "2024-01-01T00:00:00Z",
        GIT_COMMITTER_DATE: "2024-01-01T00:00:00Z",
        GIT_CONFIG_GLOBAL: "/dev/null",
      },
    }).trim();
  git("init", "-q", "-b", "main");
  return Array.from({ length: COMMITS }, (_, number) => {
    git("commit", "-q", "--allow-empty", "-m", `${number}`);
    return git("rev-parse", "HEAD");
  });
}

/**
 * Two captures of each commit. The newest commit was captured first.
 * @param {string} folder @param {string[]} commits @param {number} [slowerFrom]
 */
export function writeCaptures(folder, commits, slowerFrom = SLOWER_FROM) {
  const isOf = (/** @type {import("../pprof-reader.mjs").Frame[]} */ frames) =>
    frames.some(({ name }) => name === FUNCTION);
  commits.forEach((commit, number) => {
    for (const run of [0, 1]) {
      const recorded = readFileSync(new URL(`run-${`${(number + run * 5) % 12}`.padStart(2, "0")}.pb.gz`, RECORDED));
      const capture = number < slowerFrom ? recorded : changedCapture(recorded, (frames) => (isOf(frames) ? 3 : 1));
      const startedUnixMs = FIRST_UNIX_MS + (COMMITS - number) * 3_600_000 + run;
      writeFileSync(join(folder, `${number}-${run}.pb.gz`), takenOf(capture, { commit, startedUnixMs }));
    }
  });
}

/** @param {{repository: string, folder: string}} folders   that are there, and empty */
export function makeHistory({ repository, folder }) {
  writeCaptures(folder, makeRepository(repository));
}
