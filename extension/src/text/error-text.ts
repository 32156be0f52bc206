// Whatever was thrown, in words and for the log.

import { ENGLISH } from "../../../contract/english.js";
import type { Words } from "../../../contract/plain-text.js";

/**
 * An error of code without `vscode`, worded where it is shown: in the user's language in the editor, in English in the
 * log.
 */
export class WordedError extends Error {
  override readonly name = "WordedError";

  /** @param words one clause without a full stop */
  constructor(readonly words: (l10n: Words) => string) {
    super(words(ENGLISH));
  }
}

/** In English, or in the words of who threw it: for the log. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For the user. */
export function errorWords(error: unknown, l10n: Words): string {
  return error instanceof WordedError ? error.words(l10n) : errorText(error);
}

/** For `LogOutputChannel.error`, which writes the stack of an Error. */
export function forLog(error: unknown): Error | string {
  return error instanceof Error ? error : String(error);
}
