// Words of more than one page.

import type { EmptyPageAction } from "../../extension/src/panels/shown-capture.js";

export const SHARED_STRINGS = {
  loading: "Loading…",
  live: "live",
  waysOut: { attach: "Attach…", openCapture: "Open a Capture…" } satisfies Record<EmptyPageAction, string>,
} as const;
