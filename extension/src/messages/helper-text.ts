// The helper's messages in the user's language: made from code and arguments, whose English text is the fallback.
// No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { HelperMessages, type Explanation, type Message } from "../../../contract/protocol.generated.js";

/** @param english what the helper wrote; shown when it has no code, or one that this editor does not know */
export function helperText(english: string, message: Message | undefined, l10n: Words): string {
  if (message === undefined || !isKnown(message.code)) return english;
  return filled(l10n.t(HelperMessages[message.code]), message.arguments ?? {});
}

/** The three parts of an error, each of them empty when there is nothing to say. */
export function errorInWords(
  { what, why, fix, messages }: Explanation,
  l10n: Words,
): Pick<Explanation, "what" | "why" | "fix"> {
  return {
    what: helperText(what, messages?.["what"], l10n),
    why: helperText(why, messages?.["why"], l10n),
    fix: helperText(fix, messages?.["fix"], l10n),
  };
}

/** An error, or another thing with a remedy, on one line, as the helper's own command line has it. */
export function errorLine(error: Explanation, l10n: Words): string {
  const { what, why, fix } = errorInWords(error, l10n);
  return [what, why, fix].filter((part) => part !== "").join("; ");
}

function isKnown(code: string): code is keyof typeof HelperMessages {
  return Object.hasOwn(HelperMessages, code);
}

/** Arguments are put in once: braces in them mean nothing. */
function filled(template: string, values: Readonly<Record<string, string | undefined>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "?") : "?",
  );
}
