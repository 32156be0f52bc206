// Comparisons, histories, profiles of other tools and builds of a workspace, computed by the helper's own code on threads of its own. It needs no helper,
// so it is the same on every desktop; where there is one, it compares.

import type {
  Answer,
  BuildsAnswer,
  BuildsRequest,
  CompareRequest,
  ConvertRequest,
  Converted,
  CountAnswer,
  CountRequest,
  History,
  HistoryAnswer,
  HistoryRequest,
  PageAnswer,
  PageRequest,
  UnreadCapture,
} from "../../../contract/editor-module.generated.js";
import { WordedError } from "../text/error-text.js";
import { lengthOf, splitAnswer, withLength, type ModuleFunction } from "./module-call.js";
import { comparedByHelper } from "./native-compare.js";
import { withThreads, type ModuleFiles, type ModuleThread } from "./module-threads.js";

/** Captures that are read at once. Each is in memory with all its samples while it is read. */
const READ_AT_ONCE = 2;

/** A profile of another tool; `profile` is a pprof message. */
export interface ConvertedProfile {
  readonly converted: Converted;
  readonly profile: Uint8Array;
}

/**
 * Compares captures.
 * @param captures the files, those of the base first, in the order of the request; they are copied
 * @param signal ends the threads
 */
export async function compareCaptures(
  files: ModuleFiles,
  request: CompareRequest,
  captures: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<Answer> {
  const head = withLength(JSON.stringify(request));
  const byHelper =
    files.helper === undefined
      ? undefined
      : await comparedByHelper(files.helper, [head, ...captures.flatMap(withItsLength)], signal);
  const answer = byHelper ?? (await comparedByThreads(files, head, captures, signal));
  return JSON.parse(new TextDecoder().decode(answer)) as Answer;
}

function comparedByThreads(
  files: ModuleFiles,
  head: Uint8Array,
  captures: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  return withThreads(files, signal, async (start) => {
    const readers = captures.slice(0, READ_AT_ONCE).map(start);
    // It has no memory that a capture was read into.
    const comparing = start();
    const read = await readAll(readers, captures);
    for (const reader of readers) reader.end();
    return comparing.call("compare", [head, ...read.flatMap(withItsLength)], read);
  });
}

function withItsLength(part: Uint8Array): Uint8Array[] {
  return [lengthOf(part), part];
}

/** Makes a capture of a profile of another tool. @param request which event, where it has several */
export async function convertProfile(
  files: ModuleFiles,
  request: ConvertRequest,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<ConvertedProfile> {
  const answer = await callOnThread(files, "convert", [withLength(JSON.stringify(request)), bytes], signal);
  const { json, rest } = splitAnswer(answer);
  return { converted: JSON.parse(json) as Converted, profile: rest };
}

/**
 * Makes a page of a capture, with a flame graph, that opens in any browser.
 * @param capture the file; it is copied
 * @returns the page, or why there is none
 */
export async function pageOfCapture(
  files: ModuleFiles,
  request: PageRequest,
  capture: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array | UnreadCapture> {
  return pageIn(await callOnThread(files, "page", [withLength(JSON.stringify(request)), capture], signal));
}

/** Makes a page of a history, with charts, that opens in any browser. */
export async function pageOfHistory(files: ModuleFiles, history: History, signal?: AbortSignal): Promise<Uint8Array> {
  const page = pageIn(await callOnThread(files, "history_page", [withLength(JSON.stringify(history))], signal));
  if (page instanceof Uint8Array) return page;
  throw computationFailed(page.why);
}

function pageIn(answer: Uint8Array): Uint8Array | UnreadCapture {
  const { json, rest } = splitAnswer(answer);
  const made = JSON.parse(json) as PageAnswer;
  switch (made.type) {
    case "page":
      return rest;
    case "unread":
      return made.unread;
    case "failed":
      throw computationFailed(made.why);
  }
}

/** @param why in English: no file of a user's leads to it */
export function computationFailed(why: string): WordedError {
  return new WordedError((l10n) => l10n.t("the computation failed: {0}", why));
}

/**
 * Compares the builds of a workspace with a capture's facts of its build.
 * @param contents of the files that have one, in the order of the request; they are copied
 * @param signal ends the thread
 */
export async function matchBuilds(
  files: ModuleFiles,
  request: BuildsRequest,
  contents: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<BuildsAnswer> {
  const answer = await callOnThread(files, "builds", [withLength(JSON.stringify(request)), ...contents], signal);
  return JSON.parse(new TextDecoder().decode(answer)) as BuildsAnswer;
}

/**
 * Counts captures for a history.
 * @param captures the files, in the order of the request; they are copied
 * @param signal ends the thread
 */
export async function countCaptures(
  files: ModuleFiles,
  request: CountRequest,
  captures: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<CountAnswer> {
  const answer = await callOnThread(files, "count", [withLength(JSON.stringify(request)), ...captures], signal);
  return JSON.parse(new TextDecoder().decode(answer)) as CountAnswer;
}

/** Makes a history from counts. @param signal ends the thread */
export async function makeHistory(
  files: ModuleFiles,
  request: HistoryRequest,
  signal?: AbortSignal,
): Promise<HistoryAnswer> {
  const answer = await callOnThread(files, "history", [withLength(JSON.stringify(request))], signal);
  return JSON.parse(new TextDecoder().decode(answer)) as HistoryAnswer;
}

/** What the module made of each file, several at once: reading is most of the work. */
async function readAll(threads: readonly ModuleThread[], captures: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  let next = 0;
  const readNext = async (thread: ModuleThread): Promise<void> => {
    for (let index = next++; index < captures.length; index = next++)
      read[index] = await thread.call("read_capture", [captures[index] as Uint8Array]);
  };
  await Promise.all(threads.map(readNext));
  return read;
}

function callOnThread(
  files: ModuleFiles,
  name: ModuleFunction,
  parts: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  return withThreads(files, signal, (start) => start().call(name, parts));
}
