// The texts that a capture's functions were compiled from, out of the repository's history. No vscode in here.

import { relative, sep } from "node:path";
import type { Words } from "../../../contract/plain-text.js";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import type { GitProgram } from "./git-program.js";
import { eachTreeEntry, LIST_PATIENCE_MS, SUBMODULE } from "./tree-entries.js";

/** A source file as it was. */
export interface CommitText {
  /** Path in the repository. */
  readonly path: string;
  readonly text: string;
}

/** The texts of a capture. */
export interface CommitTexts {
  /** By the path that the capture reports. */
  readonly texts: Readonly<Record<string, CommitText>>;
  /** Files that the commit has, and whose texts were not read: too many, too long, or git did not give them in time or does not have them. */
  readonly unread: number;
}

/** Where rules about paths say that a reported file is: absolute paths of this machine. None: it is not here. Undefined: they say nothing. */
export type RuledFiles = (reported: string) => readonly string[] | undefined;

const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** For git: files with settings of the build or versions of dependencies, of rebar3, Mix (also those that it reads when it compiles, but no tests in a folder of that name) and make, as `BUILD_FILES` of the helper. */
const BUILD_FILES = [
  ...["*rebar.config*", "*rebar.lock"],
  ...["*mix.exs", "*mix.lock", "*config/*.exs", ":(exclude)*_test.exs"],
  ...["*akefile", "*.mk"],
];
/** Most files of one side whose texts are read. */
export const MOST_FILES = 500;
const AT_A_TIME = 8;

/** The texts of {@link commitTexts} alone, for callers that name few files. */
export async function textsOf(
  ...wanted: Parameters<typeof commitTexts>
): Promise<Readonly<Record<string, CommitText>> | undefined> {
  return (await commitTexts(...wanted))?.texts;
}

/**
 * From the hashes that the capture has of its sources, those that it does not name from its commit.
 * A path that fits several files is left out. Files found by rules take precedence over similar paths.
 * @param top the repository's top folder
 * @returns undefined where git did not list the files of the commit: it does not know it, or took too long
 */
export async function commitTexts(
  git: GitProgram,
  top: string,
  origin: OriginFacts,
  reported: Iterable<string>,
  ruledFiles: RuledFiles,
): Promise<CommitTexts | undefined> {
  const requested = [...new Set(reported)].map((file) => {
    const ruled = ruledFiles(file);
    return { file, ruled, led: (ruled ?? []).map((one) => relative(top, one).replaceAll(sep, "/")) };
  });
  const names = new Set(requested.flatMap(({ file, led }) => [file, ...led].map(baseName)));
  const objects = await objectsOf(git, top, origin, names);
  if (objects === undefined) return undefined;
  const byName = pathsByName(objects.keys());
  const wanted = requested.flatMap(({ file, ruled, led: candidates }) => {
    const led = candidates.filter((one) => objects.has(one));
    // A rule that leads to no file of the commit may be of another folder: files move.
    const path =
      ruled?.length === 0
        ? undefined
        : mostAlike(file, led.length > 0 ? [...new Set(led)] : (byName.get(baseName(file)) ?? []));
    const object = path === undefined ? undefined : objects.get(path);
    return path === undefined || object === undefined ? [] : [{ file, path, object }];
  });
  const texts: Record<string, CommitText> = {};
  const left = wanted.slice(0, MOST_FILES);
  for (let batch = left.splice(0, AT_A_TIME); batch.length > 0; batch = left.splice(0, AT_A_TIME)) {
    const contents = await Promise.all(batch.map(({ object }) => git.answer(top, ["cat-file", "blob", object])));
    for (const [index, { file, path }] of batch.entries()) {
      const text = contents[index];
      if (text !== undefined) texts[file] = { path, text };
    }
  }
  return { texts, unread: wanted.length - Object.keys(texts).length };
}

/** Why there are no texts of a commit that git knows; one clause. @param commit as it is shown */
export function unlistedFiles(commit: string, words: Words): string {
  return words.t("git did not list the files of {0} in time", commit);
}

/** Old and new path of each file that git takes for a renamed one, and of those that one commit lacks, where it is empty; undefined where it does not know one of the commits, or took too long. */
export async function renamedFiles(
  git: GitProgram,
  top: string,
  base: OriginFacts,
  newer: OriginFacts,
): Promise<[string, string][] | undefined> {
  if (!OBJECT_NAME.test(base.commit) || !OBJECT_NAME.test(newer.commit)) return undefined;
  const parts: string[] = [];
  const isWhole = await git.parts(
    top,
    ["diff", "--name-status", "-z", "--find-renames", "--diff-filter=ADR", base.commit, newer.commit],
    (part) => parts.push(part),
    { patienceMs: LIST_PATIENCE_MS },
  );
  if (!isWhole) return undefined;
  const renamed: [string, string][] = [];
  // The kind of change, and the path; of a renamed file the old path and the new one.
  for (let at = 0; at + 1 < parts.length; at += parts[at]?.startsWith("R") === true ? 3 : 2) {
    const [kind = "", path = "", newPath = ""] = parts.slice(at, at + 3);
    if (kind === "A") renamed.push(["", path]);
    else renamed.push([path, kind === "D" ? "" : newPath]);
  }
  return renamed;
}

/** Headers and modules of Erlang, and files with settings of the build or versions of dependencies, that differ between both commits, by their paths; undefined where git does not list them, as where it does not know one of them, or took too long. */
export async function changedPaths(
  git: GitProgram,
  top: string,
  base: OriginFacts,
  newer: OriginFacts,
): Promise<string[] | undefined> {
  if (!OBJECT_NAME.test(base.commit) || !OBJECT_NAME.test(newer.commit)) return undefined;
  const paths: string[] = [];
  const isWhole = await git.parts(
    top,
    ["diff", "--name-only", "-z", base.commit, newer.commit, "--", "*.hrl", "*.erl", ...BUILD_FILES],
    (part) => paths.push(part),
    { patienceMs: LIST_PATIENCE_MS },
  );
  return isWhole ? paths.filter((path) => path !== "") : undefined;
}

/** The files of a commit whose paths have an ending, but these; undefined where git does not list them. Those that it does not give in time are counted. */
export async function otherTexts(
  git: GitProgram,
  top: string,
  origin: OriginFacts,
  ending: string,
  except: readonly string[],
): Promise<{ readonly files: CommitText[]; readonly unread: number } | undefined> {
  const found: { path: string; object: string }[] = [];
  const keep = ({ mode, object, path }: { mode: string; object: string; path: string }) => {
    if (mode !== SUBMODULE && path.endsWith(ending) && !except.includes(path)) found.push({ path, object });
  };
  if (!OBJECT_NAME.test(origin.commit)) return undefined;
  const isWhole = await eachTreeEntry(git, top, origin.commit, keep, { patienceMs: LIST_PATIENCE_MS });
  if (!isWhole) return undefined;
  const files = await contentsOf(git, top, found.slice(0, MOST_FILES));
  return { files, unread: found.length - files.length };
}

/** Files of Elixir that differ between both commits, as each of them has it; undefined where git does not list them. Those that it does not give in time are counted. */
export async function changedElixir(
  git: GitProgram,
  top: string,
  base: OriginFacts,
  newer: OriginFacts,
): Promise<{ readonly files: CommitText[]; readonly unread: number } | undefined> {
  if (!OBJECT_NAME.test(base.commit) || !OBJECT_NAME.test(newer.commit)) return undefined;
  const parts: string[] = [];
  const isWhole = await git.parts(
    top,
    ["diff", "--raw", "-z", "--no-renames", "--no-abbrev", base.commit, newer.commit, "--", "*.ex"],
    (part) => parts.push(part),
    { patienceMs: LIST_PATIENCE_MS },
  );
  if (!isWhole) return undefined;
  const found: { path: string; object: string }[] = [];
  // Both modes, both objects and the kind of change, then the path.
  for (let at = 0; at + 1 < parts.length; at += 2)
    for (const object of (parts[at] ?? "").split(" ").slice(2, 4))
      if (OBJECT_NAME.test(object) && /[^0]/.test(object)) found.push({ path: parts[at + 1] ?? "", object });
  const files = await contentsOf(git, top, found.slice(0, 2 * MOST_FILES));
  return { files, unread: found.length - files.length };
}

/** Those that git gives in time. */
async function contentsOf(
  git: GitProgram,
  top: string,
  wanted: readonly { readonly path: string; readonly object: string }[],
): Promise<CommitText[]> {
  const texts: CommitText[] = [];
  const left = [...wanted];
  for (let batch = left.splice(0, AT_A_TIME); batch.length > 0; batch = left.splice(0, AT_A_TIME)) {
    const contents = await Promise.all(batch.map(({ object }) => git.answer(top, ["cat-file", "blob", object])));
    texts.push(...batch.flatMap(({ path }, at) => (contents[at] === undefined ? [] : [{ path, text: contents[at] }])));
  }
  return texts;
}

/** Git's name of the content of each path with one of these names. */
async function objectsOf(
  git: GitProgram,
  top: string,
  origin: OriginFacts,
  names: ReadonlySet<string>,
): Promise<Map<string, string> | undefined> {
  const objects = new Map(Object.entries(origin.sources).filter(([, object]) => OBJECT_NAME.test(object)));
  const hasHashes = objects.size > 0;
  const hashed = new Set([...objects.keys()].map(baseName));
  const others = new Set([...names].filter((name) => !hashed.has(name)));
  // Of a file that the capture does not name, the commit has the text, unless some were changed.
  if (hasHashes && (origin.dirty || others.size === 0)) return objects;
  if (!OBJECT_NAME.test(origin.commit)) return hasHashes ? objects : undefined;
  const listed = new Map<string, string>();
  const isWhole = await eachTreeEntry(
    git,
    top,
    origin.commit,
    ({ mode, object, path }) => {
      if (mode !== SUBMODULE && others.has(baseName(path))) listed.set(path, object);
    },
    { patienceMs: LIST_PATIENCE_MS },
  );
  if (isWhole) return new Map([...objects, ...listed]);
  return hasHashes ? objects : undefined;
}

function pathsByName(paths: Iterable<string>): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const name = baseName(path);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [path]);
    else known.push(path);
  }
  return byName;
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** The path that has most parts in common with the reported one, from the last on; undefined when several have. */
function mostAlike(reported: string, paths: readonly string[]): string | undefined {
  const common = paths.map((path) => commonParts(reported, path));
  const most = Math.max(0, ...common);
  const best = paths.filter((_, index) => common[index] === most);
  return most > 0 && best.length === 1 ? best[0] : undefined;
}

function commonParts(a: string, b: string): number {
  const [left, right] = [a, b].map((path) =>
    path
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .reverse(),
  ) as [string[], string[]];
  const differs = left.findIndex((part, index) => part !== right[index]);
  return differs === -1 ? left.length : differs;
}
