// The commits that touched lines of a file, from `git log -L`. No vscode in here.

import type { Bounds, GitProgram } from "./git-program.js";

/** Lines from 1, both ends included. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

export interface TouchingCommit {
  /** Whole name, as are the parents. */
  readonly commit: string;
  readonly parents: readonly string[];
  /** Unchanged from the commit, like the subject. */
  readonly author: string;
  /** Milliseconds since 1970; 0 when not known. */
  readonly authoredUnixMs: number;
  readonly subject: string;
  /** Of the file in that commit, and in its parent; that is empty when the commit added the file. */
  readonly path: string;
  readonly oldPath: string;
  /** New and changed lines in that commit's text, in order; where it only took lines away, the line before. */
  readonly lines: readonly LineRange[];
}

export interface LineLog {
  /** Newest first. */
  readonly commits: readonly TouchingCommit[];
  /** There are more, or history was not gone through to its end. */
  readonly isCut: boolean;
}

export interface LineQuestion {
  /** Top folder of the repository. */
  readonly top: string;
  /** Whole names: commits that the newer one has and the older one has not are looked at. */
  readonly older: string;
  readonly newer: string;
  /** Path in the newer commit, below the top, with slashes. */
  readonly path: string;
  /** In the text of the newer commit; at least one, and not beyond its end. */
  readonly ranges: readonly LineRange[];
  /** Commits at most. */
  readonly most: number;
}

const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Neither a shell nor git reads anything into a path, but a line's end in one would end git's own lines. */
const UNUSABLE_PATH = /[\u0000-\u001f]/;
const MOST_RANGES = 20;
/** With --name-only and its like git does not follow lines, so the difference of the lines comes along: only that. */
const PATCH = ["--no-color", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8"];

/** Undefined when git does not say: no such commit or path, too slow, or too much. */
export async function lineLog(
  git: GitProgram,
  { top, older, newer, path, ranges, most }: LineQuestion,
  bounds: Bounds,
): Promise<LineLog | undefined> {
  const valid = ranges.filter(({ start, end }) => start >= 1 && end >= start).slice(0, MOST_RANGES);
  if (!COMMIT_NAME.test(older) || !COMMIT_NAME.test(newer) || UNUSABLE_PATH.test(path) || valid.length === 0)
    return undefined;
  const lines = valid.map(({ start, end }) => `-L${String(start)},${String(end)}:${path}`);
  const format = `--format=${["", "%H", "%P", "%an", "%at", "%s"].join("%x00")}`;
  const output = await git.answer(
    top,
    ["log", ...lines, `--max-count=${String(most + 1)}`, ...PATCH, format, `${older}..${newer}`, "--"],
    "",
    bounds,
  );
  if (output === undefined) return undefined;
  const commits = parsedLog(output);
  return { commits: commits.slice(0, most), isCut: commits.length > most };
}

/** A commit begins with a byte that no line of a text can begin with here: those have a sign before them. */
export function parsedLog(output: string): TouchingCommit[] {
  const commits: TouchingCommit[] = [];
  for (const part of `\n${output}`.split("\n\0").slice(1)) {
    const lines = part.split("\n");
    const [commit = "", parents = "", author = "", seconds = "", subject = ""] = (lines[0] ?? "").split("\0");
    if (!COMMIT_NAME.test(commit)) continue;
    const { path, oldPath, ranges } = parsedPatch(lines.slice(1));
    commits.push({
      commit,
      parents: parents.split(" ").filter((name) => COMMIT_NAME.test(name)),
      author,
      authoredUnixMs: Number(seconds) * 1000 || 0,
      subject,
      path,
      oldPath,
      lines: ranges,
    });
  }
  return commits;
}

function parsedPatch(lines: readonly string[]): { path: string; oldPath: string; ranges: LineRange[] } {
  let [path, oldPath] = ["", ""];
  const ranges: LineRange[] = [];
  const add = (line: number) => {
    const last = ranges.at(-1);
    if (last !== undefined && line <= last.end + 1)
      ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, line) };
    else ranges.push({ start: line, end: line });
  };
  /** Line in the newer text that comes next; 0 outside of the parts that differ. */
  let next = 0;
  let wasRemoved = false;
  for (const line of lines) {
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    const sign = line[0];
    if (start !== undefined) {
      next = Number(start);
      wasRemoved = false;
    } else if (next === 0) {
      oldPath = /^--- a\/(.*)$/.exec(line)?.[1] ?? oldPath;
      path = /^\+\+\+ b\/(.*)$/.exec(line)?.[1] ?? path;
    } else if (sign === "+") {
      add(next++);
      wasRemoved = false;
    } else if (sign === "-") {
      wasRemoved = true;
    } else if (sign === " ") {
      if (wasRemoved) add(Math.max(next - 1, 1));
      next++;
      wasRemoved = false;
    }
  }
  if (wasRemoved) add(Math.max(next - 1, 1));
  return { path, oldPath, ranges };
}
