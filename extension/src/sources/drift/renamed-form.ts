// A function of one text that another text has under another name. No vscode in here.

import type { Form } from "../forms/form.js";

/** A text taken apart. */
export interface ScannedText {
  readonly lines: readonly string[];
  readonly forms: readonly Form[];
}

/**
 * The function of `after` whose clauses are those of `form`, except for the name.
 * @returns undefined unless that is certain: one function alone is new, has the same text, and can be no other's that is gone
 */
export function renamedForm(form: Form, before: ScannedText, after: ScannedText): Form | undefined {
  if (hasForm(after.forms, form)) return undefined;
  const text = withoutName(form, before.lines);
  const same = (other: Form, { lines }: ScannedText) =>
    other.module === form.module && other.arity === form.arity && withoutName(other, lines) === text;
  const gone = before.forms.filter((other) => !hasForm(after.forms, other) && same(other, before));
  const [renamed, ...others] = after.forms.filter((other) => !hasForm(before.forms, other) && same(other, after));
  return gone.length === 1 && others.length === 0 ? renamed : undefined;
}

function hasForm(forms: readonly Form[], { module, name, arity }: Form): boolean {
  return forms.some((form) => form.module === module && form.name === name && form.arity === arity);
}

/** Its lines with a mark in the place of its name, in its heads and where it calls itself. */
function withoutName({ name, headLine, endLine, clauseLines }: Form, lines: readonly string[]): string {
  const written = escaped(name.replace(/^MACRO-/, ""));
  const start = String.raw`(?<![\p{L}\d_@'.:?!])`;
  // An atom of the same name is another word: a renamed function leaves it as it is.
  const call = new RegExp(`${start}'?${written}'?(?=\\s*[(/])`, "gu");
  const head = new RegExp(`${start}'?${written}'?(?![\\p{L}\\d_@?!])`, "u");
  const own = lines.slice(headLine - 1, endLine).map((line, index) => {
    const isHead = clauseLines.includes(headLine + index);
    return (isHead ? line.replace(head, NAME) : line).replace(call, NAME).trim();
  });
  return own.join("\n");
}

/** No text has it. */
const NAME = "\0";

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
