// All words of the panel with the history of a program.

import type { HistoryNoise, LatestPlace, Measure } from "../../contract/editor-module.generated.js";
import { decimal as decimalIn, signedPercent } from "../../contract/figures.js";
import type { ShownHistory, ShownLatest, ShownSeries, ShownStep } from "../../contract/messages/history.js";
import { noteText } from "../compare/strings.js";
import { count, LANGUAGE } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

const UNITS: Record<Measure, (figure: string) => string> = {
  share: (figure) => l10n.t("{0}%", figure),
  cpu: (figure) => l10n.t("{0}%", figure),
  work: (figure) => l10n.t("{0} µs", figure),
};

const PLACES: Record<LatestPlace, (value: string, low: string, high: string, commits: string) => string> = {
  below: (...values) =>
    l10n.t(
      "Newest commit: {0}, lower than expected. From the {3} commits before it, {1} to {2} was expected.",
      ...values,
    ),
  within: (...values) =>
    l10n.t("Newest commit: {0}, as expected. From the {3} commits before it, {1} to {2} was expected.", ...values),
  above: (...values) =>
    l10n.t(
      "Newest commit: {0}, higher than expected. From the {3} commits before it, {1} to {2} was expected.",
      ...values,
    ),
};

export const STRINGS = {
  title: l10n.t("History"),
  making: l10n.t("Reading captures…"),
  reading: (done: number, all: number) => l10n.t("{0} of {1} captures are read…", count(done), count(all)),
  cancel: l10n.t("Cancel"),
  cancelled: l10n.t("The history was cancelled."),
  again: l10n.t("Try Again"),
  refresh: l10n.t("Refresh"),
  problem: (what: string, why: string) => l10n.t("{0}: {1}", what, why),
  series: l10n.t("Function or whole program"),
  whole: l10n.t("Whole program"),
  itself: (name: string) => l10n.t("{0}: self time", name),
  total: (name: string) => l10n.t("{0}: total time", name),
  functions: l10n.t("Functions…"),
  functionsHelp: l10n.t("Choose functions to follow"),
  summary: ({ commits }: ShownHistory) => {
    const captures = commits.reduce((sum, commit) => sum + commit.captures.length, 0);
    return l10n.t(
      "{0}, {1}",
      commits.length === 1 ? l10n.t("1 commit") : l10n.t("{0} commits", count(commits.length)),
      captures === 1 ? l10n.t("1 capture") : l10n.t("{0} captures", count(captures)),
    );
  },
  measures: {
    share: () => l10n.t("Percent of the busy samples, as always in comparisons"),
    cpu: () => l10n.t("CPU per second, percent of one core"),
    work: (work: string) => l10n.t("Microseconds of CPU per unit of work ({0})", work),
  } satisfies Record<Measure, (work: string) => string>,
  steps: l10n.t("Steps"),
  noStep: l10n.t("The captures show no step."),
  stepHelp: l10n.t("Compare this commit with the one before"),
  compare: l10n.t("Compare with the One Before"),
  chart: (title: string) => l10n.t("{0} by commit. Arrow keys select, Enter compares with the previous commit.", title),
  table: l10n.t("The same in figures"),
  columns: {
    step: l10n.t("Step"),
    commit: l10n.t("Commit"),
    date: l10n.t("Date"),
    captures: l10n.t("Captures"),
    value: l10n.t("Value"),
    interval: l10n.t("95% interval"),
  },
  interval: (low: string, high: string) => l10n.t("{0} to {1}", low, high),
  point: (name: string, value: string, interval: string, captures: number) =>
    captures === 1
      ? l10n.t("{0}: {1} ({2}), 1 capture", name, value, interval)
      : l10n.t("{0}: {1} ({2}), {3} captures", name, value, interval, count(captures)),
  skipped: (some: number) =>
    some === 1 ? l10n.t("1 capture is left out") : l10n.t("{0} captures are left out", count(some)),
};

/** A value with its unit. */
export function figure(value: number, measure: Measure): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return UNITS[measure](decimalIn(value, LANGUAGE, digits));
}

export function seriesTitle({ of, functionName }: ShownSeries): string {
  switch (of) {
    case "whole":
      return STRINGS.whole;
    case "self":
      return STRINGS.itself(functionName);
    case "total":
      return STRINGS.total(functionName);
  }
}

/** `▲ +23.1%`. */
export function stepFigure({ change_pct: change }: ShownStep): string {
  return `${stepSign(change)} ${signedPercent(change, LANGUAGE)}`;
}

export function stepSign(change: number): string {
  return change > 0 ? "▲" : "▼";
}

/** @param name of a commit, by its position */
export function stepText(step: ShownStep, name: (commit: number) => string): string {
  const [low, high] = [signedPercent(step.low_pct, LANGUAGE), signedPercent(step.high_pct, LANGUAGE)];
  const height = [stepFigure(step), low, high] as const;
  const text =
    step.to - step.from > 1
      ? l10n.t(
          "{0} (between {1} and {2}) between the commits {3} and {4}, most likely at {5}",
          ...height,
          name(step.from),
          name(step.to),
          name(step.at),
        )
      : l10n.t("{0} (between {1} and {2}) at {3}; the one before is {4}", ...height, name(step.at), name(step.at - 1));
  return step.placed_by === undefined ? text : l10n.t("{0}; {1} steps there", text, step.placed_by);
}

/** How the newest commit compares, and the notes on its captures; nothing is claimed of it while there are doubts. */
export function newestText(doubts: ShownHistory["doubts"], { latest, measure, unlike }: ShownSeries): string {
  if (doubts.length > 0) return l10n.t("? Cannot tell how the newest commit compares: {0}.", doubts.join("; "));
  return latest === null ? "" : [latestText(latest, measure), ...unlike.map(noteText)].join(" ");
}

function latestText({ place, value, low, high, commits }: ShownLatest, measure: Measure): string {
  return PLACES[place](figure(value, measure), figure(low, measure), figure(high, measure), count(commits));
}

export function noiseText({
  of_runs_pct: runs,
  of_commits_pct: commits,
  is_measured: isMeasured,
}: HistoryNoise): string {
  const figures = [decimalIn(runs, LANGUAGE, 1), decimalIn(commits, LANGUAGE, 1)] as const;
  return isMeasured
    ? l10n.t(
        "Noise in these captures: {0}% between runs, {1}% more between commits. A step is shown where the 95% intervals of the means before and after do not overlap (PELT, a method for change points; Killick et al., 2012).",
        ...figures,
      )
    : l10n.t(
        "Assumed noise: {0}% between runs. A step is shown where the 95% intervals of the means before and after do not overlap (PELT, a method for change points; Killick et al., 2012).",
        figures[0],
      );
}
