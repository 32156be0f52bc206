// What the list of exports offers.

import type { ExportFormat } from "../../contract/messages/flame-graph.js";

/** What can be exported. Other programs fold recursion themselves, so stacks have every level of it unless asked for without. */
export const EXPORTS = {
  svg: { format: "svg" },
  folded: { format: "folded", collapseRecursion: false },
  foldedCollapsed: { format: "folded", collapseRecursion: true },
  speedscope: { format: "speedscope", collapseRecursion: false },
  speedscopeCollapsed: { format: "speedscope", collapseRecursion: true },
} as const satisfies Record<string, { readonly format: ExportFormat; readonly collapseRecursion?: boolean }>;
export type ExportChoice = keyof typeof EXPORTS;
