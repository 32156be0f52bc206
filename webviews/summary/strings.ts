// All words of the summary.

import type { PercentOf } from "../../contract/capture-answers.js";
import { percent } from "../words/figures.js";
import { l10n } from "../words/l10n.js";
import { counted, splitOfType, totalsText, typeOfShares } from "../words/page-words.js";

export const STRINGS = {
  title: l10n.t("Summary of the Capture"),
  totals: (samples: number, busy: number, idle: number, unit: string) =>
    [totalsText(samples, busy, unit), l10n.t("idle {0} of all", percent(idle, samples))].join(" · "),
  split: (percentOf: PercentOf, unit: string) =>
    splitOfType(unit) ??
    (percentOf === "busy"
      ? l10n.t("The work of the VM, in shares of busy samples")
      : l10n.t("The work of the VM, in shares of all samples")),
  blame: (label: string, help: string) => l10n.t("{0}. Show the Erlang functions that cause it ({1}).", help, label),
  lines: l10n.t("The Hottest Lines of Your Code"),
  linesLoading: l10n.t("Reading the sources…"),
  functions: l10n.t("The Hottest Functions"),
  noLines: l10n.t("No file of this workspace has hot lines in this capture."),
  noFunctions: l10n.t("No function has samples yet."),
  share: (samples: number, whole: number, percentOf: PercentOf, unit: string) => {
    const texts = [percent(samples, whole), counted(samples, unit)] as const;
    if (typeOfShares(unit) !== undefined) return l10n.t("{0}, {1}", ...texts);
    return percentOf === "busy" ? l10n.t("{0} of busy, {1}", ...texts) : l10n.t("{0} of all, {1}", ...texts);
  },
  openLine: (place: string) => l10n.t("Go to {0}", place),
  openFunction: (name: string) => l10n.t("Go to the source of {0}", name),
  steps: l10n.t("Next"),
  problems: l10n.t("What Limits the Figures"),
  copy: l10n.t("Copy as Markdown"),
  copyHelp: l10n.t("Copy the headline and the hottest lines as Markdown"),
} as const;
