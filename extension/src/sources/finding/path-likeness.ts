// Which of several files with the right name is the one a VM reports.

import { definesModules } from "./module-file.js";

/** A file that may be the source of a module. */
export interface SourceCandidate<File> {
  readonly file: File;
  /** Absolute, with slashes. */
  readonly path: string;
  /** From the workspace folder; undefined for files outside. */
  readonly relative: string | undefined;
  /** Whether the text holds the module; undefined when it was not read. */
  readonly declaresModule?: boolean | undefined;
  /** Whether code of the text may be in a module that it does not name; undefined when it was not read. */
  readonly mayMakeModule?: boolean | undefined;
}

/** Files that fit best, all as well as the first. */
export interface SourceChoice<File> {
  readonly best: readonly SourceCandidate<File>[];
}

/** The best candidates for a reported path: one is the answer; of several the user has to pick. */
export function chooseSource<File>(reported: string, candidates: readonly SourceCandidate<File>[]): SourceChoice<File> {
  const ranked = candidates
    .map((candidate) => ({ candidate, rank: rankOf(reported, candidate) }))
    .sort((a, b) => compareRanks(b.rank, a.rank));
  const top = ranked[0];
  return {
    best:
      top === undefined
        ? []
        : ranked.filter(({ rank }) => compareRanks(rank, top.rank) === 0).map(({ candidate }) => candidate),
  };
}

/** Compared from the left: the module that the text declares weighs most, the place of the file least. */
function rankOf<File>(reported: string, candidate: SourceCandidate<File>): number[] {
  const declares = candidate.declaresModule;
  return [
    declares === undefined ? 1 : declares ? 2 : 0,
    isSamePath(candidate.path, reported) ? 1 : 0,
    commonTail(reported, candidate.path),
    placeRank(candidate),
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The user's own sources, then fetched dependencies, then build copies of either, then files outside. */
function placeRank<File>(candidate: SourceCandidate<File>): number {
  if (candidate.relative === undefined) return 0;
  const parts = partsOf(candidate.relative);
  if (parts.includes("_build")) return 1;
  if (parts.includes("deps") || parts.includes("_checkouts") || parts.includes("node_modules")) return 2;
  return 3;
}

/** Folders of an application. */
const OF_APPLICATION = new Set(["c_src", "include", "lib", "native", "priv", "src", "test"]);
/** `-8.5` of `kernel-8.5`. */
const VERSION = /-\d+(?:\.\d+)*$/;

/** Path without what tools put around an app, and without its version: `_build/default/lib/shop/src/x.erl`, `apps/shop/src/x.erl` and `shop-1.2/src/x.erl` are alike. */
function essence(path: string): string[] {
  return withoutTools(partsOf(clean(path)));
}

function withoutTools(parts: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? "";
    if (part === "_build") at += parts[at + 2] === "lib" ? 2 : 0;
    else if (part !== "apps" && part !== "deps" && part !== "_checkouts") kept.push(part.replace(VERSION, ""));
  }
  return kept;
}

/** Whether a file can hold the lines that the VM reports: not when it holds another module, however alike its path is. Of headers, templates and others that hold none, the path decides. */
export function mayHold<File>(reported: string, candidate: SourceCandidate<File>): boolean {
  if (candidate.declaresModule === false) return false;
  return candidate.declaresModule === true || definesModules(reported) || canBeSame(reported, candidate);
}

/** Whether a file may hold lines of a module that its text does not name: a macro made it. A name is too little. */
export function mayMake<File>(reported: string, candidate: SourceCandidate<File>): boolean {
  if (!definesModules(reported)) return false;
  return (
    candidate.mayMakeModule !== false &&
    commonTail(reported, candidate.path) > 1 &&
    isOfItsApplication(reported, candidate.path)
  );
}

/**
 * Whether a path that the VM reports and that of a file can be the same: the file is in the application that the path
 * names, and one of the two is the end of the other, leaving out what tools put around an app.
 * Of an absolute one a name alone is too little. The command line follows the same rules (own-code/src/likeness.rs),
 * and the tests of both read one table.
 */
function canBeSame<File>(reported: string, { path, relative }: SourceCandidate<File>): boolean {
  if (isSamePath(path, reported)) return true;
  if (!isOfItsApplication(reported, path)) return false;
  // Of an installation, which has its own place on each machine.
  if (relative === undefined) return true;
  const common = commonTail(reported, relative);
  const isEnd = common === Math.min(essence(reported).length, essence(relative).length);
  return isEnd && (common > 1 || !clean(reported).startsWith("/"));
}

/** Whether a reported path from the root on is that of the file, whatever detours it makes. */
function isSamePath(path: string, reported: string): boolean {
  const cleaned = clean(reported);
  return cleaned.startsWith("/") && partsOf(cleaned).join("/") === partsOf(path).join("/");
}

/**
 * Whether a file is in the application that a reported path names, if it names one: its path has all from that name on.
 * Each application has an `include` and a `src`, so what follows the name proves nothing.
 */
function isOfItsApplication(reported: string, path: string): boolean {
  const parts = partsOf(clean(reported));
  const at = applicationAt(parts);
  if (at === undefined) return true;
  const wanted = withoutTools(parts.slice(at));
  const ofFile = essence(path).slice(-wanted.length);
  return ofFile.length === wanted.length && ofFile.every((part, index) => part === wanted[index]);
}

/**
 * Where a path has the name of an application: the first one that tools put there, as a dependency may have applications
 * within, else the last one: the folders before it are the place of the project.
 */
function applicationAt(parts: readonly string[]): number | undefined {
  // Folders, with the one before each.
  const names = [...parts.keys()].filter((at) => at > 0 && at + 1 < parts.length);
  const isFromTools = (at: number) =>
    parts[at - 1] === "deps" || parts[at - 1] === "_checkouts" || parts[at - 3] === "_build";
  // Elixir's sources are below a `lib`, too.
  const isUsual = (at: number) =>
    parts[at - 1] === "apps" ||
    (parts[at - 1] === "lib" &&
      (VERSION.test(parts[at] ?? "") || (at + 2 < parts.length && OF_APPLICATION.has(parts[at + 1] ?? ""))));
  return names.find(isFromTools) ?? names.findLast(isUsual);
}

/** Last parts that two paths share, leaving out what tools put around an app. */
function commonTail(onePath: string, otherPath: string): number {
  const a = essence(onePath);
  const b = essence(otherPath);
  let count = 0;
  while (count < a.length && count < b.length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

/** Where Rust keeps what others wrote, below any folder. */
const OF_OTHERS = /\/(?:rustc|\.cargo\/(?:registry|git))\//;

/**
 * Whether a file of C, C++ or Rust can be the one that the compiler names. No text proves it, and every project has a
 * `c_src/nif.c`, every crate a `src/lib.rs`:
 * so it has to be the path, or as much of its end as others do not share.
 */
export function mayBeNative(path: string, reported: string): boolean {
  if (endsWithPath(path, reported)) return true;
  const least = /\.rs$/i.test(reported) ? 3 : 2;
  return !OF_OTHERS.test(reported) && commonTail(path, reported) >= least && isOfItsApplication(reported, path);
}

/** Whether a path ends with all of a path of several parts that is not absolute, or is the other one. */
export function endsWithFolderPath(path: string, reported: string): boolean {
  return endsWithPath(path, reported) && partsOf(clean(reported)).length > 1;
}

/** Whether a path is the other one, or ends with all of it when that is not absolute. */
export function endsWithPath(path: string, reported: string): boolean {
  const end = clean(reported);
  return path === end || (end !== "" && !end.startsWith("/") && path.endsWith(`/${end}`));
}

function clean(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replaceAll(/\/(?:\.\/)+/g, "/")
    .replace(/^\.\//, "");
}

/** Without detours: `src/../include/a.hrl` is `include/a.hrl`. */
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}
