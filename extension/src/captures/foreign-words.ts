// Why a profile of another tool is not read, and what helps, in words. No vscode in here.

import type { Defect, UnreadReason } from "../../../contract/editor-module.generated.js";
import { plainText, type Words } from "../../../contract/plain-text.js";

/** Characters of the file's own words in a message. */
const LONGEST_WORD = 60;
const MAKE_CAPTURE = "extrospect import FILE -o OUT.pb.gz";
const MAKE_TEXT = "perf script -i FILE > FILE.txt";

/** One clause without a full stop. */
export function whyUnread(reason: UnreadReason, l10n: Words): string {
  switch (reason.kind) {
    case "empty":
      return l10n.t("the file is empty");
    case "unknown_format":
      return l10n.t(
        "it has none of the supported formats: pprof, perf script, folded stacks, speedscope, .cpuprofile, JSON of samply and the Firefox Profiler, OTLP profiles",
      );
    case "control_characters":
      return l10n.t("it is text with control characters, such as terminal colours");
    case "perf_data":
      return l10n.t("it is a recording of perf (perf.data), which only perf itself can read");
    case "gzip":
      return l10n.t("its compressed data is damaged");
    case "no_such_event":
      return l10n.t("it has no samples of the event {0}", plainText(reason.event, LONGEST_WORD));
    case "too_large":
      return l10n.t("it is too large to be opened: it holds more than {0} bytes", reason.limit);
    case "too_many":
      return l10n.t("it is too large to be opened: a part of it has more than {0} entries or bytes", reason.limit);
    case "damaged": {
      const defect = defectWords(reason.defect, l10n);
      return reason.format === null
        ? l10n.t("it is JSON, but cannot be read: {0}", defect)
        : l10n.t("it looks like {0}, but cannot be read: {1}", reason.format, defect);
    }
  }
}

/** One sentence or more. */
export function fixOfUnread(reason: UnreadReason, l10n: Words): string {
  switch (reason.kind) {
    case "perf_data":
      return l10n.t(
        "On the host that recorded it, convert it to a capture with `{0}`, or to text with `{1}`, and open the result.",
        MAKE_CAPTURE,
        MAKE_TEXT,
      );
    case "control_characters":
      return l10n.t("Write it again without them.");
    case "no_such_event":
      return l10n.t("Open it again and choose one.");
    case "too_large":
    case "too_many":
      return l10n.t("Export a shorter part of it, with the tool that made it.");
    case "damaged":
      return fixOfDefect(reason.defect, l10n);
    case "empty":
    case "unknown_format":
    case "gzip":
      return toExportAgain(l10n);
  }
}

function defectWords(defect: Defect, l10n: Words): string {
  switch (defect.kind) {
    case "cut":
      return l10n.t("its end is missing");
    case "json":
      return l10n.t("it does not follow the format at line {0}, column {1}", defect.line, defect.column);
    case "lines":
      return defect.first === null
        ? l10n.t("number of lines that do not belong to this format: {0}", defect.count)
        : l10n.t("number of lines that do not belong to this format: {0}, line {1} first", defect.count, defect.first);
    case "unknown_word":
      return l10n.t("it contains “{0}”, which the format does not define", plainText(defect.word, LONGEST_WORD));
    case "inconsistent":
      return l10n.t("its parts do not fit together ({0})", plainText(defect.part, LONGEST_WORD));
    case "no_samples":
      return l10n.t("there is no sample in it");
    case "below_zero":
      return l10n.t("all of its values are below zero, as in the difference of two profiles");
    case "unprocessed":
      return l10n.t("it is in the form that Firefox records, not in the one that its profiler saves");
    case "other_revision":
      return l10n.t("its end is missing, or it has another version of the format");
  }
}

function fixOfDefect(defect: Defect, l10n: Words): string {
  switch (defect.kind) {
    case "below_zero":
      return toCompareBoth(l10n);
    case "unprocessed":
      return l10n.t("Open it on profiler.firefox.com, save it there, and open the saved file.");
    case "cut":
    case "json":
    case "lines":
    case "unknown_word":
    case "inconsistent":
    case "no_samples":
    case "other_revision":
      return toExportAgain(l10n);
  }
}

/** What helps against the difference of two profiles. */
export function toCompareBoth(l10n: Words): string {
  return l10n.t("Open the two profiles that it is the difference of, and compare them.");
}

function toExportAgain(l10n: Words): string {
  return l10n.t(
    "If a program was still writing it, open it again afterwards; otherwise export it again, with the tool that made it, in a supported format.",
  );
}
