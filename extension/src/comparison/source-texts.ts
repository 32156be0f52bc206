// What git has of the sources of both sides of a comparison, and why functions are matched by their names alone where it has nothing. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { CompareRequest } from "../../../contract/editor-module.generated.js";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import type { Capture } from "../capture/questions.js";
import {
  changedElixir,
  changedPaths,
  commitTexts,
  MOST_FILES,
  otherTexts,
  renamedFiles,
  unlistedFiles,
  type CommitTexts,
  type RuledFiles,
} from "../commits/commit-texts.js";
import type { GitProgram } from "../commits/git-program.js";
import { containsCommit } from "../commits/known-commit.js";
import { erlangFiles } from "./comparison-sides.js";

const SHORT_COMMIT = 12;

type Texts = Pick<
  CompareRequest,
  | "base_texts"
  | "new_texts"
  | "renamed"
  | "changed_headers"
  | "headers"
  | "changed_modules"
  | "settings"
  | "changed_build"
  | "changed_elixir"
  | "other_elixir"
  | "unread_texts"
>;

export interface FoundTexts {
  readonly texts: Texts;
  /** Why functions are matched by their names alone, or files count as others or as the same that may not be. */
  readonly remark: string | undefined;
}

export interface NamedSide {
  readonly name: string;
  readonly captures: readonly { readonly capture: Pick<Capture, "functions" | "facts"> }[];
}

/** @param git undefined where git must not be called @param folder on this machine; undefined without one */
export async function sourceTexts(
  base: NamedSide,
  newer: NamedSide,
  {
    git,
    folder,
    ruledFiles,
  }: { readonly git: GitProgram | undefined; readonly folder: string | undefined; readonly ruledFiles: RuledFiles },
  words: Words,
): Promise<FoundTexts> {
  const none = (why?: string): FoundTexts => ({
    texts: { base_texts: {}, new_texts: {}, renamed: [] },
    remark: why === undefined ? undefined : words.t("Functions are matched by name alone: {0}.", why),
  });
  const [ofBase, ofNewer] = [originOf(base), originOf(newer)];
  if (ofBase === undefined && ofNewer === undefined) {
    // Other tools know of no commits. Extrospect captures can be given one.
    const areOurs = [base, newer].every(({ captures }) => captures.every(({ capture }) => isOurs(capture.facts)));
    return none(
      areOurs
        ? words.t("no commit is known of either side; set it with Assign Commit… in the Captures view")
        : undefined,
    );
  }
  if (ofBase === undefined || ofNewer === undefined)
    return none(
      words.t(
        "no commit is known of {0}; set it with Assign Commit… in the Captures view",
        (ofBase === undefined ? base : newer).name,
      ),
    );
  const top =
    git === undefined || folder === undefined ? undefined : await git.answer(folder, ["rev-parse", "--show-toplevel"]);
  if (git === undefined || top === undefined || top === "")
    return none(words.t("the workspace has no git repository that may be read"));
  const [baseFiles, newFiles] = [erlangFiles(base.captures), erlangFiles(newer.captures)];
  // What one side alone sampled is in the code of both, or was touched.
  const [allOfBase, allOfNew, renamed, listed, elixir] = await Promise.all([
    commitTexts(git, top, ofBase, [...baseFiles, ...newFiles], ruledFiles),
    commitTexts(git, top, ofNewer, [...newFiles, ...baseFiles], ruledFiles),
    renamedFiles(git, top, ofBase, ofNewer),
    changedPaths(git, top, ofBase, ofNewer),
    changedElixir(git, top, ofBase, ofNewer),
  ]);
  const baseTexts = allOfBase && { ...allOfBase, texts: sameTexts(allOfBase.texts, baseFiles, allOfNew?.texts) };
  const newTexts = allOfNew && { ...allOfNew, texts: sameTexts(allOfNew.texts, newFiles, allOfBase?.texts) };
  const changedOf = (ending: string) => (listed ?? []).filter((path) => path.endsWith(ending));
  const [changed, changedModules] = [changedOf(".hrl"), changedOf(".erl")];
  const changedElixirFiles = elixir?.files ?? [];
  const hasMacros = changedElixirFiles.some(({ text }) => text.includes("defmacro"));
  const macroPaths = hasMacros ? changedElixirFiles.map(({ path }) => path) : [];
  const othersThan = async (paths: readonly string[], ending: string) =>
    paths.length === 0 ? { files: [], unread: 0 } : await otherTexts(git, top, ofNewer, ending, paths);
  // Any of the others may include a changed header, and macros of any may use a changed one.
  // Settings may name a changed module as a parse transform.
  const [headers, otherElixir, settings] = await Promise.all([
    othersThan(changed, ".hrl"),
    othersThan(macroPaths, ".ex"),
    othersThan(changedModules, "rebar.config"),
  ]);
  const read = [baseTexts, newTexts, headers, elixir, otherElixir, settings];
  const unread = read.reduce((sum, each) => sum + (each?.unread ?? 0), 0);
  const texts = {
    base_texts: { ...baseTexts?.texts },
    new_texts: { ...newTexts?.texts },
    unread_texts: [unread, MOST_FILES] as [number, number],
    renamed: renamed ?? [],
    changed_headers: changed,
    headers: headers?.files ?? [],
    changed_modules: changedModules,
    settings: settings?.files ?? [],
    changed_build: (listed ?? []).filter((path) => !/\.[eh]rl$/.test(path)),
    changed_elixir: changedElixirFiles,
    other_elixir: otherElixir?.files ?? [],
  };
  // Sides of one commit have one text, so names are enough.
  if (ofBase.commit === ofNewer.commit) return { texts, remark: undefined };
  const whyOf = (side: NamedSide, { commit }: OriginFacts, found: Texts["base_texts"] | undefined) =>
    whyLacking(side, { commit, found }, { git, top }, words);
  const why = (await whyOf(base, ofBase, baseTexts?.texts)) ?? (await whyOf(newer, ofNewer, newTexts?.texts));
  if (why !== undefined) return { ...none(why), texts };
  const isWhole = (read: { readonly unread: number } | undefined) => read?.unread === 0;
  const remarks = [
    isWhole(elixir) && isWhole(otherElixir)
      ? undefined
      : words.t("Functions of files that use a changed macro may count as the same: not all changed files were read."),
    renamed === undefined
      ? words.t("Renamed files count as different files: git did not list the renames in time.")
      : undefined,
    listed !== undefined && isWhole(headers)
      ? undefined
      : words.t("Functions of files that include a changed header may count as the same: not all headers were read."),
    isWhole(settings)
      ? undefined
      : words.t(
          "Functions of files that use a changed parse transform may count as the same: not all settings of rebar3 (rebar.config) were read.",
        ),
  ].filter((remark) => remark !== undefined);
  return { texts, remark: remarks.length === 0 ? undefined : remarks.join(" ") };
}

/**
 * Why a side has no texts. Without its commit it may have some, and yet the renames of files are unknown.
 * @returns undefined where it lacks nothing
 */
async function whyLacking(
  { name, captures }: NamedSide,
  { commit, found }: { readonly commit: string; readonly found: Texts["base_texts"] | undefined },
  { git, top }: { readonly git: GitProgram; readonly top: string },
  words: Words,
): Promise<string | undefined> {
  const short = plainText(commit).slice(0, SHORT_COMMIT);
  const isKnown = await containsCommit(git, top, commit);
  if (isKnown === undefined) return unlistedFiles(short, words);
  if (!isKnown)
    return words.t(
      "the repository does not contain the commit {0}; fetch it (git fetch --unshallow in a shallow clone)",
      short,
    );
  if (found === undefined) return unlistedFiles(short, words);
  const files = erlangFiles(captures);
  if (files.some((file) => Object.hasOwn(found, file))) return undefined;
  return files.length === 0
    ? words.t("no source file is named by {0}", name)
    : words.t("{0} has none of the files named by {1}", short, name);
}

/** Of the files that the other side alone names, those with the path that it has there: a file of the same name in another folder is not that one. */
function sameTexts(
  texts: CommitTexts["texts"],
  own: readonly string[],
  others: CommitTexts["texts"] | undefined,
): CommitTexts["texts"] {
  const files = new Set(own);
  const kept = Object.entries(texts).filter(([file, { path }]) => files.has(file) || others?.[file]?.path === path);
  return Object.fromEntries(kept);
}

function isOurs({ target, imported }: Capture["facts"]): boolean {
  return (target ?? undefined) !== undefined && imported === undefined;
}

function originOf({ captures }: NamedSide): OriginFacts | undefined {
  return captures
    .map(({ capture }) => capture.facts.origin)
    .find((origin) => origin !== undefined && origin.commit !== "");
}
