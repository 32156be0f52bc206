// The commits between two sides that touched a function or its callees. They fit more or less; none of them is
// presented as the cause: the reader judges. No vscode in here.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FunctionChange } from "../../../contract/editor-module.generated.js";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import type { Capture } from "../capture/questions.js";
import { commitRange, type CommitRange, type NoRange } from "../commits/commit-range.js";
import { textsOf, unlistedFiles, type CommitText, type RuledFiles } from "../commits/commit-texts.js";
import type { GitProgram } from "../commits/git-program.js";
import { lineLog, type LineRange, type TouchingCommit } from "../commits/line-log.js";
import { submoduleCommit, submodulesOf } from "../commits/submodules.js";
import { LineMap, linesOf } from "../sources/drift/line-map.js";
import { functionKey, sideTimes, type SideTimes } from "./function-times.js";
import { changedLines } from "./hotter-lines.js";
import { placeInHistory, ranText, type FunctionPlace, type PlaceInHistory, type RanText } from "./place-in-history.js";
import { shortCommit } from "../commits/short-commit.js";

/** What a commit touched, the best fit first. */
export type TouchKind = "lines" | "function" | "callee";

export interface Touch {
  readonly kind: TouchKind;
  /** Of the callee; else empty. */
  readonly name: string;
  /** In the text of that commit. */
  readonly lines: readonly LineRange[];
  /** How much of the function's change the callee explains, 0 to 1; null where it is the function itself. */
  readonly explains: number | null;
  readonly path: string;
  readonly oldPath: string;
}

export interface WhoseEntry {
  /** Top folder of the repository, which may be a submodule. */
  readonly top: string;
  /** Whole name; empty for changes that were not committed when the newer captures were taken. */
  readonly commit: string;
  /** The first parent; empty for a commit without. For uncommitted changes it is the commit below. */
  readonly parent: string;
  readonly isMerge: boolean;
  /** From the commit, fit to show. */
  readonly subject: string;
  readonly author: string;
  /** Milliseconds since 1970; 0 when not known. */
  readonly authoredUnixMs: number;
  /** At least one, the best fit first. */
  readonly touches: readonly Touch[];
}

export interface WhoseAnswer {
  /** The best fit first. */
  readonly entries: readonly WhoseEntry[];
  /** Commits that lie between; undefined when there are none to be listed. */
  readonly range: { readonly older: string; readonly newer: string; readonly count: number | undefined } | undefined;
  /** What a reader has to know, one sentence each. */
  readonly notes: readonly string[];
}

export interface WhoseSide {
  readonly captures: readonly Capture[];
}

export interface WhoseQuestion {
  readonly change: FunctionChange;
  /** All that were compared, for what the function calls. */
  readonly functions: readonly FunctionChange[];
  readonly base: WhoseSide;
  readonly newer: WhoseSide;
}

export interface WhoseMeans {
  readonly git: GitProgram;
  /** Top folder of the repository. */
  readonly top: string;
  readonly ruledFiles: RuledFiles;
  readonly words: Words;
  readonly signal: AbortSignal;
}

const MOST_COMMITS = 20;
const MOST_CALLEES = 5;
/** Callees whose sources are looked for; most of them are libraries. */
const MOST_CANDIDATES = 40;
/** Part of the change below which a callee explains nothing. */
const LEAST_PART = 0.05;
/** git goes through every commit between the sides. */
const PATIENCE_MS = 15_000;
const ALL_MS = 45_000;
const LARGEST_BYTES = 4 * 1024 * 1024;
const LONGEST_TEXT = 200;

/** Where a source is in history, or why it is nowhere. */
interface Located {
  readonly top: string;
  readonly range: CommitRange;
  readonly ran: RanText;
  /** Path in the outer repository, which is how captures name it. */
  readonly outerPath: string;
  /** Empty in the outer repository. */
  readonly submodule: string;
}

/** @throws {Error} when the signal is aborted */
export async function whoseLine(question: WhoseQuestion, means: WhoseMeans): Promise<WhoseAnswer> {
  return new Asking(question, means).answer();
}

class Asking {
  readonly #question: WhoseQuestion;
  readonly #means: WhoseMeans;
  readonly #notes = new Set<string>();
  readonly #entries = new Map<string, { entry: Omit<WhoseEntry, "touches">; touches: Touch[]; at: number }>();
  readonly #untilMs = performance.now() + ALL_MS;

  constructor(question: WhoseQuestion, means: WhoseMeans) {
    this.#question = question;
    this.#means = means;
  }

  async answer(): Promise<WhoseAnswer> {
    const { change } = this.#question;
    const { git, top, words } = this.#means;
    const [base, newer] = [this.#originOf("base"), this.#originOf("newer")];
    if (change.self.new_samples + change.total.new_samples === 0)
      return this.#nothing(
        words.t("The function is gone: the newer side has no text of it whose history could be traced."),
      );
    if (base === undefined || newer === undefined)
      return this.#nothing(noRangeText({ why: "unnamed", side: base === undefined ? "base" : "new" }, words));
    const range = await commitRange(git, top, base.commit, newer.commit);
    if ("why" in range) return this.#nothing(noRangeText(range, words));
    this.#noteRelation(range, base, newer);
    // The side whose text is at the newer end of the range.
    const isBehind = range.relation === "behind";
    const [side, other] = isBehind
      ? ([this.#question.base, this.#question.newer] as const)
      : ([this.#question.newer, this.#question.base] as const);
    const [origin, otherOrigin] = isBehind ? [base, newer] : [newer, base];
    const at = (fn: FunctionChange) =>
      isBehind
        ? { name: fn.base_function ?? fn.function, file: fn.base_file ?? fn.file, line: fn.base_line ?? fn.line }
        : { name: fn.function, file: fn.file, line: fn.line };
    const before = (fn: FunctionChange) =>
      isBehind
        ? { name: fn.function, file: fn.file, line: fn.line }
        : { name: fn.base_function ?? fn.function, file: fn.base_file ?? fn.file, line: fn.base_line ?? fn.line };

    const mine = at(change);
    if (mine.file === "")
      return this.#nothing(words.t("{0} has no source that is known.", plainText(mine.name, LONGEST_TEXT)));
    const signal = this.#means.signal;
    const [here, there] = [
      await sideTimes(side.captures, mine.name, mine.file, signal),
      await sideTimes(other.captures, before(change).name, before(change).file, signal),
    ];
    const delta = here.total - there.total;
    const callees = this.#callees(here, there, delta, at, before);

    const files = [mine.file, ...callees.map(({ fn }) => at(fn).file)];
    const located = await this.#locate(files, range, origin);
    const source = located.get(mine.file);
    if (source === undefined) {
      this.#notes.add(
        words.t(
          "The source of {0}, {1}, is not in {2}: only the functions that it calls were checked.",
          plainText(mine.name, LONGEST_TEXT),
          plainText(mine.file, LONGEST_TEXT),
          shortCommit(range.newer),
        ),
      );
    } else {
      const place = placeInHistory(placeOf(mine, side.captures, here), source.ran);
      const map = await this.#linesFrom(before(change).file, otherOrigin, source.ran);
      const hot = map === undefined ? [] : changedLines(here.lines, there.lines, map, delta);
      await this.#touchesOf(source, place, { origin, otherOrigin, name: "", explains: null, hot });
    }
    let listed = 0;
    for (const { fn, explains } of callees) {
      const callee = located.get(at(fn).file);
      if (callee === undefined || listed === MOST_CALLEES) continue;
      const place = placeInHistory(placeOf(at(fn), side.captures, undefined), callee.ran);
      // A fun of the function is part of its text.
      if (
        source !== undefined &&
        at(fn).file === mine.file &&
        isWithin(at(fn).line, placeInHistory(placeOf(mine, side.captures, here), source.ran)?.ran)
      )
        continue;
      listed++;
      if (performance.now() > this.#untilMs) {
        this.#notes.add(words.t("git took too long: not all functions that it calls were checked."));
        break;
      }
      await this.#touchesOf(callee, place, { origin, otherOrigin, name: fn.function, explains, hot: [] });
    }
    return {
      entries: this.#ordered(),
      range: { older: range.older, newer: range.newer, count: range.count },
      notes: [...this.#notes],
    };
  }

  #nothing(why: string): WhoseAnswer {
    return { entries: [], range: undefined, notes: [why, ...this.#notes] };
  }

  /** The origin of the first capture with a commit; a note is added for a side of several commits. */
  #originOf(which: "base" | "newer"): OriginFacts | undefined {
    const { words } = this.#means;
    const origins = this.#question[which].captures.flatMap(({ facts }) =>
      facts.origin === undefined || facts.origin.commit === "" ? [] : [facts.origin],
    );
    const [first] = origins;
    if (first !== undefined && origins.some(({ commit }) => commit !== first.commit))
      this.#notes.add(
        words.t("The captures of a side are of several commits: {0} stands for them.", shortCommit(first.commit)),
      );
    // With the most that is known of its files.
    return origins.find(({ commit, sources }) => commit === first?.commit && Object.keys(sources).length > 0) ?? first;
  }

  #noteRelation(range: CommitRange, base: OriginFacts, newer: OriginFacts): void {
    const { words } = this.#means;
    const [older, later] = [shortCommit(base.commit), shortCommit(newer.commit)];
    if (range.relation === "same")
      this.#notes.add(words.t("Both sides are of {0}: no commit lies between them.", later));
    if (range.relation === "behind")
      this.#notes.add(words.t("{0} came after {1}: these are commits that only the side before has.", older, later));
    if (range.relation === "diverged")
      this.#notes.add(
        words.t(
          "{0} is no ancestor of {1}: these are the commits since {2}, where they diverged, without those that only {0} has.",
          older,
          later,
          shortCommit(range.older),
        ),
      );
    if (range.isShallow)
      this.#notes.add(words.t("This clone is shallow: git fetch --unshallow gets the missing history."));
    if (base.dirty) this.#notes.add(words.t("The side before had uncommitted changes, too, which no commit contains."));
  }

  /** The functions that were sampled below this one and changed the same way, the largest part of the change first. */
  #callees(
    here: SideTimes,
    there: SideTimes,
    delta: number,
    at: (fn: FunctionChange) => { name: string; file: string },
    before: (fn: FunctionChange) => { name: string; file: string },
  ): { fn: FunctionChange; explains: number }[] {
    if (delta === 0) return [];
    const parts = this.#question.functions.flatMap((fn) => {
      if (fn === this.#question.change || fn.file === "") return [];
      const now = here.below.get(functionKey(at(fn).name, at(fn).file)) ?? 0;
      const was = there.below.get(functionKey(before(fn).name, before(fn).file)) ?? 0;
      const explains = Math.min((now - was) / delta, 1);
      return now > 0 && explains >= LEAST_PART ? [{ fn, explains }] : [];
    });
    return parts.sort((a, b) => b.explains - a.explains).slice(0, MOST_CANDIDATES);
  }

  /** By the file that the captures report. */
  async #locate(files: readonly string[], range: CommitRange, origin: OriginFacts): Promise<Map<string, Located>> {
    const { git, top, words, ruledFiles } = this.#means;
    const located = new Map<string, Located>();
    const asOf = (commit: string): OriginFacts => ({ ...origin, commit, sources: {} });
    const keep = async (file: string, where: Omit<Located, "ran" | "outerPath">, text: CommitText) => {
      const outerPath = where.submodule === "" ? text.path : `${where.submodule}/${text.path}`;
      const ran = await ranText(text, outerPath, origin, () =>
        this.#keptTexts(where.top, text.path, origin.sources[outerPath] ?? ""),
      );
      located.set(file, { ...where, outerPath, ran });
    };
    const texts = await textsOf(git, top, asOf(range.newer), files, ruledFiles);
    if (texts === undefined) this.#notes.add(`${unlistedFiles(shortCommit(range.newer), words)}.`);
    for (const [file, text] of Object.entries(texts ?? {})) await keep(file, { top, range, submodule: "" }, text);
    const left = [...new Set(files)].filter((file) => !located.has(file));
    if (left.length === 0) return located;
    for (const { path, commit, top: inner } of await submodulesOf(git, top, range.newer)) {
      if (inner === undefined) {
        this.#notes.add(
          words.t("The submodule {0} is not checked out, so its content is unknown.", plainText(path, LONGEST_TEXT)),
        );
        continue;
      }
      const found = (await textsOf(git, inner, asOf(commit), left, ruledFiles)) ?? {};
      if (Object.keys(found).length === 0) continue;
      const older = await submoduleCommit(git, top, range.older, path);
      const innerRange = await commitRange(git, inner, older ?? "", commit);
      if ("why" in innerRange) {
        this.#notes.add(
          words.t("In the submodule {0}: {1}", plainText(path, LONGEST_TEXT), noRangeText(innerRange, words)),
        );
        continue;
      }
      this.#notes.add(
        words.t("{0} is a submodule: its commits are those of its own repository.", plainText(path, LONGEST_TEXT)),
      );
      for (const [file, text] of Object.entries(found))
        await keep(file, { top: inner, range: innerRange, submodule: path }, text);
    }
    return located;
  }

  /** What git or the disk still has of a text that was not committed. */
  async #keptTexts(top: string, path: string, hash: string): Promise<string[]> {
    const { git } = this.#means;
    const file = join(top, ...path.split("/"));
    const onDisk = stat(file).then(async (found) =>
      found.isFile() && found.size <= LARGEST_BYTES ? [await readFile(file, "utf8")] : [],
    );
    const [disk, blob] = await Promise.all([onDisk.catch(() => []), git.answer(top, ["cat-file", "blob", hash])]);
    return [...disk, ...(blob === undefined ? [] : [blob])];
  }

  /** From lines of the other side's text to lines of the one that ran here; undefined when that text is not known. */
  async #linesFrom(file: string, origin: OriginFacts, ran: RanText): Promise<((line: number) => number) | undefined> {
    if (ran.state === "lost" || file === "") return undefined;
    const { git, top, ruledFiles } = this.#means;
    const textOf = async (asOf: OriginFacts) => (await textsOf(git, top, asOf, [file], ruledFiles))?.[file];
    const text = (await textOf(origin)) ?? (origin.dirty ? undefined : await textOf({ ...origin, sources: {} }));
    if (text === undefined) return undefined;
    const map = new LineMap(linesOf(text.text), linesOf(ran.text));
    return (line) => map.map(line).line;
  }

  async #touchesOf(
    source: Located,
    place: PlaceInHistory | undefined,
    how: {
      origin: OriginFacts;
      otherOrigin: OriginFacts;
      name: string;
      explains: number | null;
      hot: readonly number[];
    },
  ): Promise<void> {
    const { git, words, signal } = this.#means;
    const { name, explains, hot } = how;
    const { top, range, ran } = source;
    const { path } = ran.committed;
    const kind: TouchKind = name === "" ? "function" : "callee";
    this.#uncommitted(source, place, how);
    if (place === undefined)
      return void this.#notes.add(
        words.t("{0} does not have the line that the capture names: its text differs.", plainText(path, LONGEST_TEXT)),
      );
    if (range.relation === "same") return;
    if (place.committed === undefined) return;
    const question = { top, older: range.older, newer: range.newer, path, most: MOST_COMMITS };
    const bounds = { patienceMs: PATIENCE_MS, signal };
    const log = await lineLog(git, { ...question, ranges: [place.committed] }, bounds);
    signal.throwIfAborted();
    if (log === undefined)
      return void this.#notes.add(
        words.t(
          "git did not return the history of {0}: it took too long, or a part of it is missing.",
          plainText(path, LONGEST_TEXT),
        ),
      );
    if (log.isCut)
      this.#notes.add(words.t("More than {0} commits touched the same lines: the newest are listed.", MOST_COMMITS));
    const ranges = hot
      .map((line) => place.toCommitted(line))
      .flatMap((line) => (line > 0 ? [{ start: line, end: line }] : []));
    const hotter =
      ranges.length === 0 || log.commits.length === 0 ? undefined : await lineLog(git, { ...question, ranges }, bounds);
    signal.throwIfAborted();
    const byCommit = new Map(hotter?.commits.map((commit) => [commit.commit, commit]));
    log.commits.forEach((touching, index) => {
      const exact = byCommit.get(touching.commit);
      this.#add(
        top,
        touching,
        {
          kind: exact === undefined ? kind : "lines",
          name,
          lines: (exact ?? touching).lines,
          explains,
          path: touching.path,
          oldPath: touching.oldPath,
        },
        index,
      );
    });
  }

  /** What ran and was in no commit comes first of all. */
  #uncommitted(
    { top, range, ran, outerPath }: Located,
    place: PlaceInHistory | undefined,
    {
      origin,
      otherOrigin,
      name,
      explains,
      hot,
    }: { origin: OriginFacts; otherOrigin: OriginFacts; name: string; explains: number | null; hot: readonly number[] },
  ): void {
    const { words } = this.#means;
    if (range.relation === "behind") return;
    const hash = origin.sources[outerPath];
    if (origin.dirty && hash === undefined && name === "")
      this.#notes.add(words.t("The side after had uncommitted changes; whether in this file is unknown."));
    // Both sides had the same changes.
    if (ran.state === "same" || hash === otherOrigin.sources[outerPath]) return;
    if (ran.state === "lost")
      return void this.#notes.add(
        words.t(
          "{0} had uncommitted changes that are no longer known: lines are those of the commit.",
          plainText(outerPath, LONGEST_TEXT),
        ),
      );
    if (place === undefined || place.uncommitted.length === 0) return;
    const isHot = hot.some((line) => place.uncommitted.some(({ start, end }) => start <= line && line <= end));
    const { path } = ran.committed;
    const touch: Touch = {
      kind: name === "" ? (isHot ? "lines" : "function") : "callee",
      name,
      lines: place.uncommitted,
      explains,
      path,
      oldPath: path,
    };
    const known = this.#entries.get("");
    if (known !== undefined) known.touches.push(touch);
    else
      this.#entries.set("", {
        entry: { top, commit: "", parent: range.newer, isMerge: false, subject: "", author: "", authoredUnixMs: 0 },
        touches: [touch],
        at: -1,
      });
  }

  #add(
    top: string,
    { commit, parents, author, authoredUnixMs, subject }: TouchingCommit,
    touch: Touch,
    at: number,
  ): void {
    const known = this.#entries.get(commit);
    if (known !== undefined) return void known.touches.push(touch);
    const entry = {
      top,
      commit,
      parent: parents[0] ?? "",
      isMerge: parents.length > 1,
      subject: plainText(subject, LONGEST_TEXT),
      author: plainText(author, LONGEST_TEXT),
      authoredUnixMs,
    };
    this.#entries.set(commit, { entry, touches: [touch], at });
  }

  #ordered(): WhoseEntry[] {
    const tiers: readonly TouchKind[] = ["lines", "function", "callee"];
    const ranked = [...this.#entries.values()].map(({ entry, touches, at }) => {
      const sorted = [...touches].sort(
        (a, b) => tiers.indexOf(a.kind) - tiers.indexOf(b.kind) || (b.explains ?? 0) - (a.explains ?? 0),
      );
      const [best] = sorted;
      return {
        entry: { ...entry, touches: sorted },
        tier: entry.commit === "" ? -1 : tiers.indexOf(best?.kind ?? "callee"),
        explains: best?.explains ?? 0,
        at,
      };
    });
    return ranked.sort((a, b) => a.tier - b.tier || b.explains - a.explains || a.at - b.at).map(({ entry }) => entry);
  }
}

function isWithin(line: number, range: LineRange | undefined): boolean {
  return range !== undefined && range.start <= line && line <= range.end;
}

function placeOf(
  { name, file, line }: { name: string; file: string; line: number },
  captures: readonly Capture[],
  times: SideTimes | undefined,
): FunctionPlace {
  const otherHeads = captures
    .slice(0, 1)
    .flatMap(({ functions }) =>
      functions.filter((fn) => fn.file === file && fn.headLine > 0).map(({ headLine }) => headLine),
    );
  return { name, file, headLine: line, otherHeads, sampledLines: [...(times?.lines.keys() ?? [])] };
}

function noRangeText(none: NoRange, words: Words): string {
  switch (none.why) {
    case "unnamed":
      return none.side === "base"
        ? words.t("The commit of the side before is unknown: set it with Assign Commit… in the Captures view.")
        : words.t("The commit of the side after is unknown: set it with Assign Commit… in the Captures view.");
    case "absent":
      return none.isShallow
        ? words.t(
            "The commit {0} is not in this clone, which is shallow: git fetch --unshallow gets it.",
            shortCommit(none.commit),
          )
        : words.t(
            "The commit {0} is not in this repository: git fetch gets it, if it was ever pushed.",
            shortCommit(none.commit),
          );
    case "unanswered":
      return words.t("Git did not list the commits between the two sides in time.");
    case "unrelated":
      return none.isShallow
        ? words.t(
            "The clone is shallow and does not contain the common ancestor of both commits: git fetch --unshallow gets it.",
          )
        : words.t("The two commits have no history in common.");
  }
}
