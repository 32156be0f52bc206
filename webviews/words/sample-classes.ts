// Classes of samples in the words of the page, and their colours.

import type { SampleClass } from "../../contract/protocol.generated.js";
import { classWordsOf, isSampleClass } from "../../contract/sample-classes.js";
import { l10n } from "./l10n.js";

export const classWords = classWordsOf(l10n);

/** Name of the style that colours it. */
export function classStyle(sampleClass: SampleClass | null): string {
  return isSampleClass(sampleClass) ? `class-${sampleClass}` : "class-unknown";
}
