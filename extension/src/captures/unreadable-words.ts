// Why bytes are no capture that can be shown, and what helps, in words. No vscode in here.

import type { UnreadCapture } from "../../../contract/editor-module.generated.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import { CaptureError } from "../capture/capture-error.js";
import { NotTogether } from "../capture/joined-capture.js";
import { errorWords } from "../text/error-text.js";
import { SeveralEvents, UnreadForeignProfile } from "./foreign-errors.js";
import { fixOfUnread, toCompareBoth, whyUnread } from "./foreign-words.js";

/** Characters of an event's name in a message. */
const SHOWN_NAME = 60;
/** Longest reason of a reader, in characters: it may quote the file. */
const LONGEST_WHY = 400;

/** @param error what `openBytes` threw */
export function unreadableWords(error: unknown, l10n: Words): { readonly why: string; readonly fix: string } {
  if (error instanceof SeveralEvents) {
    const why = l10n.t(
      "it has samples of several events, and none was chosen: {0}",
      error.events.map(({ name }) => plainText(name, SHOWN_NAME)).join(", "),
    );
    return { why, fix: l10n.t("Open it again and choose one.") };
  }
  if (error instanceof UnreadForeignProfile)
    return { why: whyUnread(error.reason, l10n), fix: fixOfUnread(error.reason, l10n) };
  const fix = l10n.t(
    "It must be a gzip-compressed pprof profile. If a program was still writing it, open it again afterwards; otherwise record it again.",
  );
  if (!(error instanceof CaptureError)) return { why: errorWords(error, l10n), fix };
  const why = captureErrorWords(error, l10n);
  return { why, fix: error.problem === "difference" ? toCompareBoth(l10n) : fix };
}

/** Why the editor's module does not read a capture. */
export function unreadCaptureWords({ problem, why }: UnreadCapture, l10n: Words): string {
  return captureErrorWords(new CaptureError(problem, why), l10n);
}

/** Its reader's own reason is in English: it is shown where it leads to a place in the bytes, or names a limit. */
export function captureErrorWords(error: CaptureError, l10n: Words): string {
  if (error instanceof NotTogether) return error.words(l10n);
  switch (error.problem) {
    case "empty":
      return l10n.t("the file is empty");
    case "notGzip":
      return l10n.t("its compressed data is damaged");
    case "notAProfile":
      return l10n.t("it is not a pprof profile");
    case "difference":
      return l10n.t("values of it are below zero, as in the difference of two profiles");
    case "tooLarge":
    case "tooMany":
      return l10n.t("it is too large to be opened ({0})", plainText(error.why, LONGEST_WHY));
    case "damaged":
    case "badReference":
    case "notTogether":
      return l10n.t("its content is damaged ({0})", plainText(error.why, LONGEST_WHY));
  }
}
