// A history as its page shows it: texts made fit to be shown, captures by the names of their files. No vscode in here.

import type {
  Doubt,
  History,
  Note,
  SkipReason,
  StandstillReason,
} from "../../../../contract/editor-module.generated.js";
import type { ComparedNote } from "../../../../contract/messages/compare.js";
import type { ShownHistory } from "../../../../contract/messages/history.js";
import { plainText, shownName, type Words } from "../../../../contract/plain-text.js";

const MOST_SKIPPED = 50;
const MOST_DOUBTS = 3;
const LONGEST_COMMIT = 60;
/** Between the first and the last of several commits. */
const COMMITS = " … ";

/** What the workspace knows of commits. */
export interface KnownCommits {
  /** Whole names. */
  readonly order: readonly string[];
  /** First lines of messages by whole names. */
  readonly subjects: ReadonlyMap<string, string>;
  /** When commits were made, milliseconds since 1970, by whole names. */
  readonly made: ReadonlyMap<string, number>;
}

/** A capture that was left out, by its address. */
export interface LeftOut {
  readonly capture: string;
  /** Why it cannot be read. */
  readonly why: (l10n: Words) => string;
}

/**
 * @param unreadable those that were left out before it was made
 */
export function shownHistory(
  history: History,
  unreadable: readonly LeftOut[],
  { order, subjects, made }: KnownCommits,
  l10n: Words,
): ShownHistory {
  const commits = history.commits.map(({ name, commit, started_unix_ms: startedUnixMs, captures }) => {
    const files = captures.map(fileOf);
    return {
      name: commit === "" ? (files[0] ?? "") : plainText(name, LONGEST_COMMIT),
      subject: plainText(subjects.get(commit) ?? ""),
      madeUnixMs: made.get(commit) ?? startedUnixMs,
      captures: files,
    };
  });
  const series = history.series.map(
    ({ of, function: functionName = "", measure, points, steps, latest, unlike = [], noise }) => ({
      of,
      functionName: shownName(functionName),
      measure,
      points,
      steps: steps.map(({ notes, placed_by: placedBy, ...step }) => ({
        ...step,
        ...(placedBy === undefined ? {} : { placed_by: shownName(placedBy) }),
        notes: notes.map(shownNote),
      })),
      latest,
      unlike: unlike.map(shownNote),
      noise,
    }),
  );
  const skipped = [
    ...unreadable.map(({ capture, why }) => ({ capture, why: unreadText(why, l10n) })),
    ...history.skipped.map(({ capture, reason }) => ({ capture, why: reasonText(reason, l10n) })),
  ];
  const lines = skipped
    .slice(0, MOST_SKIPPED)
    .map(({ capture, why }) => l10n.t("{0} is left out: {1}", fileOf(capture), why));
  return {
    work: plainText(history.work ?? "", LONGEST_COMMIT),
    commits,
    series,
    remarks: [...orderRemarks(history, order, l10n), ...unseenRemarks(history, l10n)],
    notes: (history.notes ?? []).map(shownNote),
    doubts: (history.doubts ?? []).slice(0, MOST_DOUBTS).map((doubt) => doubtText(doubt, l10n)),
    skipped: skipped.length > MOST_SKIPPED ? [...lines, l10n.t("{0} more", skipped.length - MOST_SKIPPED)] : lines,
  };
}

/** Commits of another repository or of a branch that is gone have no place among the others but their captures' times. */
function orderRemarks({ commits }: History, order: readonly string[], l10n: Words): string[] {
  const shown = [...new Set(commits.map(({ commit }) => commit).filter((commit) => commit !== ""))];
  const unknown = shown.filter((commit) => !order.includes(commit)).length;
  if (shown.length < 2 || unknown === 0) return [];
  return [
    unknown === 1
      ? l10n.t(
          "1 of {0} commits is placed by its capture time: no branch of the workspace's repository contains it; git fetch may get it.",
          shown.length,
        )
      : l10n.t(
          "{0} of {1} commits are placed by their capture times: no branch of the workspace's repository contains them; git fetch may get them.",
          unknown,
          shown.length,
        ),
  ];
}

/** A name that was typed may be of nothing. */
function unseenRemarks({ series }: History, l10n: Words): string[] {
  const seen = new Set(series.filter(({ points }) => points.some(({ value }) => value > 0)).map((one) => one.function));
  const unseen = new Set(series.flatMap(({ function: name }) => (name === undefined || seen.has(name) ? [] : [name])));
  return [...unseen].map((name) => l10n.t("No capture has a sample of {0}.", shownName(name)));
}

function shownNote({ kind, values, text }: Note): ComparedNote {
  return { kind, values: values.map(noteValue), text: plainText(text, 500) };
}

/** Why the last commit of the history may not be the newest one. */
function doubtText({ reason, values, text }: Doubt, l10n: Words): string {
  const [first = "", second = ""] = values.map(noteValue);
  switch (reason) {
    case "unreadable":
      return l10n.t("{0} cannot be read, so it may be of a newer commit", first);
    case "newest_cut":
      return l10n.t("{0} of the newest commit is cut or was not closed", first);
    case "newest_left_out":
      return l10n.t("{0} is newer, and {1} is left out", first, second);
    case "order_unknown":
      return l10n.t("it is not known whether {0} is older than {1}", first, second);
    default:
      return plainText(text, 500);
  }
}

export function unreadText(why: LeftOut["why"], l10n: Words): string {
  return plainText(why(l10n));
}

export function reasonText(reason: SkipReason, l10n: Words): string {
  switch (reason.kind) {
    case "unreadable":
      return plainText(reason.value);
    case "copy":
      return l10n.t("it is a copy of {0}", fileOf(reason.value));
    case "no_samples":
      return l10n.t("it has no busy samples");
    case "no_samples_halted":
      return haltedText(reason.value, l10n);
    case "no_length":
      return l10n.t("its length is unknown, so there is no time per second");
    case "memory":
      return l10n.t("it is a profile of memory, not of time");
    case "waiting":
      return l10n.t("it contains how long processes waited, but no processor time");
    case "other_project":
      return reason.value === ""
        ? l10n.t("it is of another project than most")
        : l10n.t("it is of another project than most, {0}", plainText(reason.value));
    case "other_changes":
      return l10n.t("its sources have other changes than those of most captures of its commit");
    case "other_tool":
      return reason.value === ""
        ? l10n.t("it is from another tool than most")
        : l10n.t("it is from another tool than most: {0}", plainText(reason.value));
    case "no_kernel_time":
      return l10n.t("it lacks time in the kernel, which most have");
    case "kernel_time":
      return l10n.t("it has time in the kernel, which most lack");
    case "no_kernel_time_as_others":
      return l10n.t("it lacks time in the kernel, which others that are kept have");
    case "kernel_time_unlike_others":
      return l10n.t("it has time in the kernel, which others that are kept lack");
    case "kernel_time_not_recorded":
      return l10n.t("it does not contain whether it has time in the kernel, as most do");
    case "no_work":
      return l10n.t("it did not count {0}, as the others did", plainText(reason.value));
  }
}

function haltedText(reason: StandstillReason, l10n: Words): string {
  switch (reason) {
    case "stopped":
      return l10n.t("it has no busy samples, and a signal had stopped its VM");
    case "traced":
      return l10n.t("it has no busy samples, and a debugger held its VM");
    case "frozen":
      return l10n.t("it has no busy samples, and the control group of its VM was frozen");
  }
}

/** A value is a fact, or the address of a capture or of two, the first and the last of several commits. */
function noteValue(value: string): string {
  const names = namesIn(value);
  return names.map((name) => (name.includes("://") ? fileOf(name) : shownName(name))).join(COMMITS);
}

export function namesIn(value: string): string[] {
  return value.split(COMMITS);
}

export function fileOf(address: string): string {
  const name = address.split("/").at(-1) ?? address;
  try {
    return shownName(decodeURIComponent(name));
  } catch {
    return shownName(name);
  }
}
