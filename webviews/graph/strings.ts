// Texts that any page with a graph of stacks shows.

import type { GroupBy } from "../../contract/flame-data.js";
import { l10n } from "../words/l10n.js";

export const GRAPH_STRINGS = {
  ofWhole: {
    all: l10n.t("of all"),
    busy: l10n.t("of busy"),
    filtered: l10n.t("of filtered"),
    function: l10n.t("of the function"),
  },
  /** Without idle. */
  ofType: (type: string) => l10n.t("of the {0}", type),
  ofParent: l10n.t("of parent"),
  children: (children: number, shown: string) => (children === 1 ? l10n.t("1 child") : l10n.t("{0} children", shown)),
  self: l10n.t("self"),
  selfTerm: l10n.t("Self"),
  total: l10n.t("Total"),
  kind: l10n.t("Kind"),
  source: l10n.t("Source"),
  recursion: l10n.t("Recursion"),
  levels: (levels: string) => l10n.t("up to {0} levels deep", levels),
  groupKinds: {
    none: "",
    process: l10n.t("Process"),
    scheduler: l10n.t("Scheduler"),
    node: l10n.t("Node"),
  } satisfies Record<GroupBy, string>,
  folds: { folded: l10n.t("Native frames, folded"), open: l10n.t("Native frames, unfolded") },
  callTree: l10n.t("Call tree"),
  columns: {
    name: {
      title: l10n.t("Function"),
      help: l10n.t("Callers above the functions that they call, those with the most samples first"),
    },
    total: {
      title: l10n.t("Total %"),
      help: l10n.t("Share of the samples in this call, including everything it called"),
    },
    totalSamples: { title: l10n.t("Total"), help: l10n.t("Samples in this call, including everything it called") },
    self: { title: l10n.t("Self %"), help: l10n.t("Share of the samples taken in the function itself, in this call") },
    selfSamples: { title: l10n.t("Self"), help: l10n.t("Samples taken in the function itself, in this call") },
    place: { title: l10n.t("Where"), help: l10n.t("The line with the most samples in this call") },
  },
  notAnExpression: l10n.t("Not a regular expression"),
  noMatch: l10n.t("No match"),
  functions: (functions: number, shown: string) =>
    functions === 1 ? l10n.t("1 function") : l10n.t("{0} functions", shown),
  searchPlaceholder: l10n.t("Search (regular expression)"),
  searchLabel: l10n.t("Search functions by regular expression"),
  colours: l10n.t("Colours"),
  inverted: [l10n.t("Invert"), l10n.t("Callers below their callees (V)")],
  hideNative: [l10n.t("Hide native"), l10n.t("Leave out native frames")],
  hideKernel: [l10n.t("Hide kernel"), l10n.t("Leave out kernel frames")],
  collapseRecursion: [l10n.t("Collapse recursion"), l10n.t("Consecutive frames of one function become one (R)")],
  tree: [l10n.t("Tree"), l10n.t("Show the same as a tree (T)")],
  resetZoom: [l10n.t("Reset zoom"), l10n.t("Show everything (Escape)")],
  frameMenu: l10n.t("Actions for this frame"),
} as const;
