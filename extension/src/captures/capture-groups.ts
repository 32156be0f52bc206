// The rows of the Captures view: filtered, and grouped along time or along the history of commits. No vscode in here.

import { beganUnixMs, type Begun } from "./capture-order.js";
import type { CaptureSummary } from "./capture-summary.js";

/** How the view groups. */
export type Grouping = "time" | "commit";

/** A capture in a group. */
export interface Groupable extends Begun {
  readonly name: string;
  /** Undefined: not read yet; null: it cannot be read. */
  readonly summary: CaptureSummary | null | undefined;
}

export interface CaptureGroup<Row> {
  /** The same as long as it is the same group. */
  readonly id: string;
  readonly kind: "month" | "branch" | "commit" | "none";
  /** `2026-11`, the branch, or the whole name of the commit; empty for captures without. */
  readonly name: string;
  readonly rows: readonly Row[];
  readonly groups: readonly CaptureGroup<Row>[];
}

/** Up to so many captures are listed without months. */
const FEW = 200;

/** The rows in which every word of the filter occurs: in name, target, branch, commit, tags (`#tag`), note, release or machine. */
export function filtered<Row extends Groupable>(rows: readonly Row[], filter: string): readonly Row[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = searchedText(row);
    return words.every((word) => text.includes(word));
  });
}

/** Summaries stay the same while the filter is typed. */
const texts = new WeakMap<CaptureSummary, string>();

function searchedText({ name, summary }: Groupable): string {
  if (summary === null || summary === undefined) return name.toLowerCase();
  let text = texts.get(summary);
  if (text === undefined) {
    const { target, otp, commit, branch, describe, repository, note, tags, isPinned, isDirty } = summary;
    const words = [
      target,
      `otp${otp}`,
      commit,
      branch,
      describe,
      repository,
      note,
      ...tags.map((tag) => `#${tag}`),
      isPinned ? "is:pinned" : "",
      isDirty ? "is:dirty" : "",
    ];
    texts.set(summary, (text = words.join("\n").toLowerCase()));
  }
  return `${name.toLowerCase()}\n${text}`;
}

/** Along time: the rows as they are, or by month where there are many. @param rows the newest first */
export function groupedByTime<Row extends Groupable>(
  rows: readonly Row[],
): { readonly rows: readonly Row[]; readonly groups: readonly CaptureGroup<Row>[] } {
  if (rows.length <= FEW) return { rows, groups: [] };
  const months = bucketed(rows, (row) => {
    const at = new Date(beganUnixMs(row));
    return Number.isFinite(at.getTime())
      ? `${String(at.getFullYear())}-${String(at.getMonth() + 1).padStart(2, "0")}`
      : "";
  });
  const groups = [...months].map(([name, ofMonth]) => ({
    id: `month ${name}`,
    kind: "month" as const,
    name,
    rows: ofMonth,
    groups: [],
  }));
  return { rows: [], groups: groups.sort((a, b) => (a.name < b.name ? 1 : -1)) };
}

/**
 * Along history: commits in git's order, newest first, below their branches where there are several; captures without a
 * commit last.
 * @param rows    the newest first
 * @param history commits, newest first; those that are not in there are placed by their newest capture, after those that are
 */
export function groupedByCommit<Row extends Groupable>(
  rows: readonly Row[],
  history: readonly string[],
): readonly CaptureGroup<Row>[] {
  const place = new Map(history.map((commit, index) => [commit, index]));
  const withCommit = rows.filter(({ summary }) => summary?.commit);
  const rest = rows.filter(({ summary }) => !summary?.commit);
  const branches = bucketed(withCommit, ({ summary }) => summary?.branch ?? "");
  const commitsOf = (branch: string, ofBranch: readonly Row[]): CaptureGroup<Row>[] =>
    [...bucketed(ofBranch, ({ summary }) => summary?.commit ?? "")]
      .map(([name, ofCommit], index) => ({
        id: `commit ${branch} ${name}`,
        kind: "commit" as const,
        name,
        rows: ofCommit,
        groups: [],
        at: place.get(name) ?? history.length + index,
      }))
      .sort((a, b) => a.at - b.at)
      .map(({ at: _, ...group }) => group);
  const groups: CaptureGroup<Row>[] =
    branches.size <= 1
      ? [...branches].flatMap(([branch, ofBranch]) => commitsOf(branch, ofBranch))
      : [...branches].map(([name, ofBranch]) => ({
          id: `branch ${name}`,
          kind: "branch" as const,
          name,
          rows: [],
          groups: commitsOf(name, ofBranch),
        }));
  return rest.length === 0 ? groups : [...groups, { id: "none", kind: "none", name: "", rows: rest, groups: [] }];
}

/** The commit of a row of the view; undefined when it is none of a commit. */
export function commitOfRow(row: unknown): string | undefined {
  if (typeof row !== "object" || row === null) return undefined;
  const { group } = row as { readonly group?: Partial<CaptureGroup<unknown>> | null };
  return group?.kind === "commit" && typeof group.name === "string" ? group.name : undefined;
}

/** In the order in which the names come first. */
function bucketed<Row>(rows: readonly Row[], nameOf: (row: Row) => string): Map<string, Row[]> {
  const buckets = new Map<string, Row[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const bucket = buckets.get(name);
    if (bucket === undefined) buckets.set(name, [row]);
    else bucket.push(row);
  }
  return buckets;
}

/** How many rows a group has, those of its groups included. */
export function rowCount<Row>({ rows, groups }: CaptureGroup<Row>): number {
  return rows.length + groups.reduce((sum, group) => sum + rowCount(group), 0);
}
