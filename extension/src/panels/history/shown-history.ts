// A history as its page shows it: texts made fit to be shown, captures by the names of their files. No vscode in here.

import type { History, SkipReason } from "../../../../contract/editor-module.generated.js";
import type { ShownHistory } from "../../../../contract/messages/history.js";
import { plainText, shownName, type Words } from "../../../../contract/plain-text.js";

const MOST_SKIPPED = 50;
const LONGEST_COMMIT = 60;

/** A capture that was left out, by its address. */
interface LeftOut {
  readonly capture: string;
  readonly reason: SkipReason;
}

/**
 * @param unreadable those that were left out before it was made
 * @param subjects first lines of messages by the whole names of commits
 */
export function shownHistory(history: History, unreadable: readonly LeftOut[], subjects: ReadonlyMap<string, string>, l10n: Words): ShownHistory {
  const commits = history.commits.map(({ name, commit, started_unix_ms: startedUnixMs, captures }) => {
    const files = captures.map(fileOf);
    return {
      name: commit === "" ? (files[0] ?? "") : plainText(name, LONGEST_COMMIT),
      subject: plainText(subjects.get(commit) ?? ""),
      startedUnixMs,
      captures: files,
    };
  });
  const series = history.series.map(({ of, function: functionName = "", measure, points, steps, latest, noise }) => ({
    of,
    functionName: shownName(functionName),
    measure,
    points,
    steps: steps.map(({ notes, ...step }) => ({
      ...step,
      notes: notes.map(({ kind, values, text }) => ({ kind, values: values.map((value) => noteValue(value)), text: plainText(text, 500) })),
    })),
    latest,
    noise,
  }));
  const skipped = [...unreadable, ...history.skipped];
  const lines = skipped.slice(0, MOST_SKIPPED).map(({ capture, reason }) => l10n.t("{0} is left out: {1}", fileOf(capture), reasonText(reason, l10n)));
  return {
    work: plainText(history.work ?? "", LONGEST_COMMIT),
    commits,
    series,
    skipped: skipped.length > MOST_SKIPPED ? [...lines, l10n.t("{0} more", skipped.length - MOST_SKIPPED)] : lines,
  };
}

function reasonText(reason: SkipReason, l10n: Words): string {
  switch (reason.kind) {
    case "unreadable":
      return plainText(reason.value);
    case "copy":
      return l10n.t("it is a copy of {0}", fileOf(reason.value));
    case "no_samples":
      return l10n.t("it has no busy samples");
    case "no_length":
      return l10n.t("it does not say how long it is, so there is no time per second");
  }
}

/** A value is a fact, or the address of a capture. */
function noteValue(value: string): string {
  return value.includes("://") ? fileOf(value) : shownName(value);
}

function fileOf(address: string): string {
  const name = address.split("/").at(-1) ?? address;
  try {
    return shownName(decodeURIComponent(name));
  } catch {
    return shownName(name);
  }
}
