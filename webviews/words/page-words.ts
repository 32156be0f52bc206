// Words of more than one page.

import type { EmptyPageAction } from "../../contract/messages/any-page.js";
import { count } from "./figures.js";
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

/** `1,234 samples`. Profiles of others may count something else, which they name in the plural. */
export function counted(value: number, unit: string): string {
  if (unit !== "samples") return `${count(value)} ${unit}`;
  return value === 1 ? l10n.t("1 sample") : l10n.t("{0} samples", count(value));
}
