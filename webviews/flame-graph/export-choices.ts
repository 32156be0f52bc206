// The entries of the list of exports.

import type { ExportFormat } from "../../contract/messages/flame-graph.js";

/**
 * The exports to choose from. Other programs fold recursion themselves, so stacks have every level of it unless the
 * user chooses otherwise.
 */
export const EXPORTS = {
  svg: { format: "svg" },
  folded: { format: "folded", collapseRecursion: false },
  foldedCollapsed: { format: "folded", collapseRecursion: true },
  speedscope: { format: "speedscope", collapseRecursion: false },
  speedscopeCollapsed: { format: "speedscope", collapseRecursion: true },
} as const satisfies Record<string, { readonly format: ExportFormat; readonly collapseRecursion?: boolean }>;
/** `picture` is copied, `markdown` is a text that is copied and a picture that is saved; the others are files. */
export type ExportChoice = keyof typeof EXPORTS | "picture" | "markdown";
