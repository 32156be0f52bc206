// German as the editor has it: the bundle that ships. The tests run from the root of the repository.
import { readFileSync } from "node:fs";
import type { Words } from "../../contract/plain-text.js";

/** English text to German text. */
export const GERMAN_TEXTS: Record<string, string> = JSON.parse(readFileSync("l10n/bundle.l10n.de.json", "utf8"));

export const GERMAN: Words = {
  t: (message, ...values) =>
    (GERMAN_TEXTS[message] ?? message).replace(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)])),
};
