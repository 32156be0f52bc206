// Words of more than one page.

import type { EmptyPageAction } from "../../contract/messages/any-page.js";
import { amountText, busyAmountText, typeOfUnit, typeWithin } from "../../contract/sample-type-words.js";
import { count, LANGUAGE } from "./figures.js";
import { l10n } from "./l10n.js";

export const SHARED_STRINGS = {
  loading: l10n.t("Loading…"),
  live: l10n.t("live"),
  waysOut: { attach: l10n.t("Start Capture…"), openCapture: l10n.t("Open Capture…") } satisfies Record<
    EmptyPageAction,
    string
  >,
  /** The actions for a function. */
  rowMenu: l10n.t("Actions for this function"),
  openSource: l10n.t("Go to the Line"),
  flameGraph: l10n.t("Flame Graph Focused Here"),
  copyName: l10n.t("Copy the Name"),
  barScale: (largest: string) => l10n.t("A full bar is {0}, the largest share in this column", largest),
  /** The meaning of `≈`. */
  tooFew: (minimumSamples: number) =>
    l10n.t(
      "≈ Too few samples to trust: fewer than {0}. Capture longer, or with more samples per second.",
      minimumSamples,
    ),
  moreRows: (some: number) => (some === 1 ? l10n.t("… and 1 more row") : l10n.t("… and {0} more rows", count(some))),
  goTo: (place: string) => l10n.t("Go to {0} (Enter)", place),
} as const;

/** `1,234 samples`, `1,234 ms of blocked time`. Profiles of others may count something else, which they name in the plural. */
export function counted(value: number, unit: string): string {
  return amountText(value, unit, l10n, LANGUAGE);
}

/** All samples of a capture and the busy ones; of another type than processor time `1,234 ms of blocked time without idle`. */
export function totalsText(samples: number, busy: number, unit: string): string {
  return typeOfUnit(unit) === undefined
    ? l10n.t("{0}, {1} busy", counted(samples, unit), count(busy))
    : busyAmountText(busy, unit, l10n, LANGUAGE);
}

/** `blocked time`, which shares without idle are of; undefined for samples. */
export function typeOfShares(unit: string): string | undefined {
  const type = typeOfUnit(unit);
  return type === undefined ? undefined : typeWithin(type, l10n);
}

/** What shares of kinds of work are of, where they are not of samples. */
export function splitOfType(unit: string): string | undefined {
  const type = typeOfShares(unit);
  return type === undefined ? undefined : l10n.t("Kinds of work, in shares of the {0}", type);
}
