// Omissions and assumptions of the import of another tool's profile, as text. No vscode in here.

import { count } from "../../../contract/figures.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import type { ImportedProfile } from "../capture/questions.js";

/** A profile of many threads may have a note for each. */
const SHOWN_NOTES = 5;
/** Characters of a note: some name a function or a thread. */
const LONGEST_NOTE = 300;

/** One sentence for a capture that was made of another tool's profile; empty without remarks. */
export function importRemark(imported: ImportedProfile | null | undefined, l10n: Words, language?: string): string {
  if (imported === null || imported === undefined || imported.notes.length === 0) return "";
  const shown = imported.notes.slice(0, SHOWN_NOTES).map((note) => plainText(note, LONGEST_NOTE));
  const further = imported.notes.length - shown.length;
  if (further > 0) shown.push(l10n.t("and {0} more", count(further, language)));
  return l10n.t("Read as {0}: {1}", plainText(imported.format, 60), shown.join("; "));
}
