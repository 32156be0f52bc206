// That a VM ended while it was watched.

import { timeOfDay } from "../../contract/figures.js";
import { LANGUAGE } from "./figures.js";
import { l10n } from "./l10n.js";

/** @param byUnixMs when its end was noticed */
export function endedText(byUnixMs: number): string {
  return l10n.t(
    "The VM had ended by {0}; the snapshots until then are shown.",
    timeOfDay(byUnixMs, LANGUAGE, "seconds"),
  );
}
