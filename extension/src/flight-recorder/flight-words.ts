// Texts about a flight recorder. No vscode in here.

import { count, memorySize } from "../../../contract/figures.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import type { Expected, FlightFault } from "../../../contract/protocol.generated.js";
import { clock } from "../text/clock.js";
import type { KnownFile, KnownLook, KnownValue } from "./flight-facts.js";
import type { FlightEnd } from "./flight.js";

/** Why a text is no condition, and the words that are possible there. */
export function faultText({ at, expected, options }: FlightFault, l10n: Words): string {
  const words = options.map((word) => plainText(word, 40)).join(", ");
  return l10n.t("At character {0}: {1}", at, expectedText(expected, words, l10n));
}

function expectedText(expected: Expected, words: string, l10n: Words): string {
  switch (expected) {
    case "quantity":
    case "operator":
      return l10n.t("one of {0} is expected", words);
    case "number":
      return l10n.t("a number is expected, 0 or more");
    case "byteUnit":
      return l10n.t("one of {0} or a space is expected", words);
    case "noUnit":
      return l10n.t("a space is expected: it is a number without a unit");
    case "joiner":
      return l10n.t("“or”, “and” or the end is expected");
    case "endOfText":
      return l10n.t("a condition has at most 1,000 characters");
    case "endOfComparisons":
      return l10n.t("a condition has at most 16 comparisons");
    default:
      return l10n.t("something else is expected");
  }
}

/** `mailbox 12,000 (<0.83.0>)`, `memory 1.20 GB`, `rss ?`. */
export function valueText({ quantity, value, isBytes, process }: KnownValue, language?: string): string {
  const shown = value === undefined ? "?" : isBytes ? memorySize(value, language) : count(value, language);
  return process === "" || value === undefined ? `${quantity} ${shown}` : `${quantity} ${shown} (${process})`;
}

export function valuesText(values: readonly KnownValue[], language?: string): string {
  return values.map((value) => valueText(value, language)).join(" · ");
}

/** What one does now: the condition, or that it holds, and the values; in one line. */
export function stateText(look: KnownLook | undefined, elapsedMs: number, l10n: Words, language?: string): string {
  if (look === undefined) return l10n.t("watching for {0}", clock(elapsedMs));
  const values = valuesText(look.values, language);
  return look.isWriting
    ? l10n.t("the condition holds, recording: {0}", values)
    : l10n.t("watching for {0}: {1}", clock(elapsedMs), values);
}

/** What the VM does not say. */
export function unknownText(names: readonly string[], l10n: Words): string {
  return names.length === 0
    ? ""
    : l10n.t("This VM does not report {0}: no condition on it can hold.", names.join(", "));
}

/** A capture was kept. */
export function writtenText(
  { found, beforeSeconds, afterSeconds }: KnownFile,
  name: string,
  l10n: Words,
  language?: string,
): string {
  return l10n.t(
    "{0}: {1}. Kept with {2} s before that and {3} s after.",
    name,
    valuesText(found, language),
    count(beforeSeconds, language),
    count(afterSeconds, language),
  );
}

/** Why it has ended; undefined when the user knows that. */
export function flightEndText(
  { reason, why, files, failed }: FlightEnd,
  name: string,
  condition: string,
  l10n: Words,
  language?: string,
): { readonly text: string; readonly isTrouble: boolean } | undefined {
  const kept =
    files === 0
      ? l10n.t("Nothing was recorded.")
      : files === 1
        ? l10n.t("1 capture was recorded.")
        : l10n.t("{0} captures were recorded.", count(files, language));
  const lost =
    failed === 0 ? "" : ` ${l10n.t("{0} could not be written completely: {1}.", count(failed, language), why)}`;
  const ended = (text: string, isTrouble: boolean) => ({
    text: `${text} ${kept}${lost}`,
    isTrouble: isTrouble || failed > 0,
  });
  switch (reason) {
    case "stopped":
    case "shutdown":
      return failed === 0 ? undefined : ended(l10n.t("Stopped watching {0}.", name), true);
    case "duration":
      return ended(l10n.t("{0} was watched for {1} for the requested time.", name, condition), false);
    case "files":
      return ended(l10n.t("Stopped watching {0}: that was the last of the requested captures.", name), false);
    case "targetGone":
      return ended(l10n.t("{0} ended while it was watched for {1}.", name, condition), true);
    case "failed":
    case "helperGone":
      return { text: `${l10n.t("Stopped watching {0}: {1}.", name, why)} ${kept}`, isTrouble: true };
  }
}
