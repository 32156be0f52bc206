// The history from many captures: reads them some at a time, and has the editor's module count them and compute it.

import { availableParallelism } from "node:os";
import * as vscode from "vscode";
import type {
  CountedCapture,
  History,
  HistoryQuestion,
  Refused,
  UnreadCapture,
} from "../../../contract/editor-module.generated.js";
import type { Words } from "../../../contract/plain-text.js";
import { LARGEST_FILE_BYTES } from "../captures/capture-limits.js";
import { unreadCaptureWords } from "../captures/unreadable-words.js";
import { computationFailed, countCaptures, makeHistory, pageOfHistory } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";
import { errorWords, WordedError } from "../text/error-text.js";
import { besideEachOther } from "./beside-each-other.js";

/** Bytes of the captures that one call counts: a thread takes longer to start than a small capture to count. */
const BATCH_BYTES = 8 << 20;
const MOST_IN_A_BATCH = 64;
const MOST_THREADS = 4;

/** A capture that was left out. */
export interface LeftOut {
  /** Address. */
  readonly capture: string;
  /** Why it cannot be read. */
  readonly why: (l10n: Words) => string;
}

/** In a history that was made captures are named by their addresses. */
export type MadeHistory =
  | { readonly type: "made"; readonly history: History; readonly unreadable: readonly LeftOut[] }
  | { readonly type: "refused"; readonly refused: Refused };

export interface HistoryWanted {
  readonly captures: readonly vscode.Uri[];
  readonly question: HistoryQuestion;
  /** Whole names of commits, the oldest first. */
  readonly order: readonly string[];
  /** When they were made, milliseconds since 1970. */
  readonly made: ReadonlyMap<string, number>;
}

/**
 * @param progress how many captures are done
 * @param signal ends the computation
 */
export async function madeHistory(
  { captures, question, order, made }: HistoryWanted,
  progress: (done: number) => void,
  signal: AbortSignal,
): Promise<MadeHistory> {
  const files = moduleFiles();
  const counted: CountedCapture[] = [];
  const unreadable: LeftOut[] = [];
  let next = 0;
  let done = 0;
  const countSome = async (signal: AbortSignal): Promise<void> => {
    while (next < captures.length) {
      const batch = new Batch();
      while (next < captures.length && !batch.isFull) {
        signal.throwIfAborted();
        const uri = captures[next++];
        if (uri !== undefined) await batch.read(uri);
      }
      const request = { question, captures: batch.contents.map(({ name, bytes }) => ({ name, bytes: bytes.length })) };
      const contents = batch.contents.map(({ bytes }) => bytes);
      const answer = await countCaptures(files, request, contents, signal);
      if (answer.type === "failed") throw computationFailed(answer.value);
      counted.push(...answer.value.captures);
      unreadable.push(...batch.unreadable, ...answer.value.unread.map(leftOut));
      done += batch.contents.length + batch.unreadable.length;
      progress(done);
    }
  };
  await besideEachOther(Math.min(MOST_THREADS, availableParallelism()), countSome, signal);
  signal.throwIfAborted();
  const notRead = unreadable.map(({ capture }) => capture);
  const request = {
    question,
    captures: counted,
    order: [...order],
    made_unix_ms: Object.fromEntries(made),
    unreadable: notRead,
  };
  const answer = await makeHistory(files, request, signal);
  switch (answer.type) {
    case "made":
      return { type: "made", history: answer.value, unreadable };
    case "refused":
      return { type: "refused", refused: answer.value };
    case "failed":
      throw computationFailed(answer.value);
  }
}

function leftOut(unread: UnreadCapture): LeftOut {
  return { capture: unread.capture, why: (l10n) => unreadCaptureWords(unread, l10n) };
}

/** A history as a page of its own, with charts, that opens in any browser. */
export function historyPage(history: History): Promise<Uint8Array> {
  return pageOfHistory(moduleFiles(), history);
}

/** Files that one call counts. */
class Batch {
  readonly contents: { readonly name: string; readonly bytes: Uint8Array }[] = [];
  readonly unreadable: LeftOut[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes >= BATCH_BYTES || this.contents.length >= MOST_IN_A_BATCH;
  }

  async read(uri: vscode.Uri): Promise<void> {
    const name = uri.toString();
    try {
      const { size } = await vscode.workspace.fs.stat(uri);
      if (size > LARGEST_FILE_BYTES) throw new WordedError((l10n) => l10n.t("the file is too large"));
      const bytes = await vscode.workspace.fs.readFile(uri);
      this.contents.push({ name, bytes });
      this.#bytes += bytes.length;
    } catch (error) {
      this.unreadable.push({ capture: name, why: (l10n) => errorWords(error, l10n) });
    }
  }
}
