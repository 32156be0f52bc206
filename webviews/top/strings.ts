// All words of the top table.

import { count } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

export const STRINGS = {
  title: l10n.t("Hot functions"),
  filter: l10n.t("Filter by name"),
  kind: l10n.t("Kind of function"),
  allKinds: l10n.t("All kinds"),
  onlyErlang: l10n.t("Only Erlang"),
  onlyErlangHelp: l10n.t("Only Erlang functions and BIFs: what C code does on their behalf counts as theirs"),
  ofBusy: l10n.t("Busy time only"),
  ofBusyHelp: l10n.t("100% is what the VM did; switched off, idle samples count too and 100% is all samples"),
  status: (shown: number, all: number, samples: number, ofBusy: boolean, unit: string) => {
    const functions = shown === all ? l10n.t("{0} functions", count(all)) : l10n.t("{0} of {1} functions", count(shown), count(all));
    const what = unit === "samples" ? l10n.t("samples") : `(${unit})`;
    const whole = ofBusy ? l10n.t("100% is {0} busy {1}", count(samples), what) : l10n.t("100% is {0} (all) {1}", count(samples), what);
    return `${functions} · ${whole}`;
  },
  noMatch: l10n.t("No function fits the filter."),
  grid: l10n.t("Functions with their self and total samples"),
  columns: {
    name: { title: l10n.t("Function"), help: l10n.t("Function; C functions whose name was stripped say where they were called from") },
    kind: { title: l10n.t("Kind"), help: l10n.t("Kind of code") },
    self: { title: l10n.t("Self %"), help: l10n.t("Share of the samples taken in the function itself") },
    selfSamples: { title: l10n.t("Self"), help: l10n.t("Samples taken in the function itself") },
    total: { title: l10n.t("Total %"), help: l10n.t("Share of the samples with the function anywhere in the stack, each sample once") },
    totalSamples: { title: l10n.t("Total"), help: l10n.t("Samples with the function anywhere in the stack, each sample once") },
    place: { title: l10n.t("Where"), help: l10n.t("Head of the function") },
  },
  calledFrom: (name: string) => l10n.t("called from {0}", name),
  blameErlang: l10n.t("Which Native Work It Causes"),
  blameNative: l10n.t("Which Erlang Functions Cause It"),
} as const;
