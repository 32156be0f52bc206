// The commits behind a row of the comparison: answers one question at a time, and remembers the answer for the links in
// it.

import * as vscode from "vscode";
import type { FunctionChange } from "../../../../contract/editor-module.generated.js";
import type { AskingWhose, ShownCommit, ShownTouch, WhoseLines } from "../../../../contract/messages/whose-line.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { RuledFiles } from "../../commits/commit-texts.js";
import { containsCommit } from "../../commits/known-commit.js";
import type { LineRange } from "../../commits/line-log.js";
import { workspaceGit } from "../../commits/workspace-commit.js";
import type { ComparedSides } from "../../comparison/compared-captures.js";
import { whoseLine, type Touch, type WhoseAnswer, type WhoseEntry } from "../../comparison/whose-line.js";
import { errorText } from "../../text/error-text.js";
import { placeText } from "../page/place-text.js";
import { openDifference } from "./commit-document.js";
import { shortCommit } from "../../commits/short-commit.js";

const LONGEST_NAME = 200;
const MOST_RANGES = 6;

export class WhoseLineSession {
  #running: AbortController | undefined;
  #answer: WhoseAnswer | undefined;

  constructor(
    private readonly post: (message: AskingWhose | WhoseLines) => void,
    private readonly failed: (error: unknown) => void,
    private readonly ruledFiles: RuledFiles,
  ) {}

  /** Done when the page has the answer, or never is to have it. */
  async ask(change: FunctionChange, functions: readonly FunctionChange[], sides: ComparedSides): Promise<void> {
    this.stop();
    const mine = (this.#running = new AbortController());
    const name = shownName(change.function, LONGEST_NAME);
    this.post({ type: "askingWhose", name });
    let answer: WhoseAnswer;
    try {
      answer = await answered(change, functions, sides, this.ruledFiles, mine.signal);
    } catch (error) {
      if (mine.signal.aborted) return;
      this.failed(error);
      answer = { entries: [], range: undefined, notes: [shownName(errorText(error))] };
    }
    if (this.#running !== mine) return;
    this.#running = undefined;
    this.#answer = answer;
    this.post(messageOf(name, answer));
  }

  /** Also forgets the answer. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#answer = undefined;
  }

  async open(commit: number, touch: number): Promise<void> {
    const entry = this.#answer?.entries[commit];
    const touched = entry?.touches[touch];
    if (entry !== undefined && touched !== undefined) await openDifference(entry, touched);
  }
}

async function answered(
  change: FunctionChange,
  functions: readonly FunctionChange[],
  sides: ComparedSides,
  ruledFiles: RuledFiles,
  signal: AbortSignal,
): Promise<WhoseAnswer> {
  const l10n = vscode.l10n;
  const nothing = (why: string): WhoseAnswer => ({ entries: [], range: undefined, notes: [why] });
  const git = await workspaceGit();
  if (git === undefined)
    return nothing(l10n.t("Commit information comes from git, which runs only in trusted workspaces."));
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const tops = await Promise.all(folders.map(({ uri }) => git.answer(uri.fsPath, ["rev-parse", "--show-toplevel"])));
  const known = [...new Set(tops)].flatMap((top) => (top === undefined || top === "" ? [] : [top]));
  // Of several repositories the one that has the commit.
  const commit = sides.new.map(({ capture }) => capture.facts.origin?.commit ?? "").find((name) => name !== "");
  const has = await Promise.all(
    known.map((top) => (commit === undefined ? undefined : containsCommit(git, top, commit))),
  );
  const top = known[Math.max(has.indexOf(true), 0)];
  if (top === undefined)
    return nothing(
      l10n.t(
        "Commit information comes from git: this machine has no git, or the workspace is in no repository that git may read.",
      ),
    );
  const side = (captures: ComparedSides["base"]) => ({ captures: captures.map(({ capture }) => capture) });
  return whoseLine(
    { change, functions, base: side(sides.base), newer: side(sides.new) },
    { git, top, ruledFiles, words: l10n, signal },
  );
}

function messageOf(name: string, { entries, range, notes }: WhoseAnswer): WhoseLines {
  return {
    type: "whoseLines",
    name,
    range:
      range === undefined
        ? null
        : { older: shortCommit(range.older), newer: shortCommit(range.newer), count: range.count ?? null },
    commits: entries.map(shownCommit),
    notes,
  };
}

function shownCommit({ commit, subject, author, authoredUnixMs, isMerge, touches }: WhoseEntry): ShownCommit {
  return { commit: shortCommit(commit), subject, author, authoredUnixMs, isMerge, touches: touches.map(shownTouch) };
}

function shownTouch({ kind, name, lines, explains, path }: Touch): ShownTouch {
  return {
    kind,
    name: shownName(name, LONGEST_NAME),
    place: placeText(path, lines[0]?.start ?? 0),
    lines: linesText(lines),
    explains,
  };
}

/** `7–8, 12`. */
function linesText(ranges: readonly LineRange[]): string {
  const shown = ranges
    .slice(0, MOST_RANGES)
    .map(({ start, end }) => (start === end ? String(start) : `${String(start)}–${String(end)}`));
  return [...shown, ...(ranges.length > MOST_RANGES ? ["…"] : [])].join(", ");
}
