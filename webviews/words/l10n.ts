// The words of a page in the language of the editor.

let translations: Readonly<Record<string, string>> = {};

/**
 * English texts with their translations into the editor's language; missing ones stay English. To be called before the
 * page shows any text.
 */
export function setTranslations(texts: Readonly<Record<string, string>>): void {
  translations = texts;
}

export const l10n = {
  /** As `vscode.l10n.t`: `{0}` and so on stand for the values. */
  t(message: string, ...values: (string | number)[]): string {
    const text = Object.hasOwn(translations, message) ? (translations[message] ?? message) : message;
    // Values come from a VM: a text in one of them that resembles a place stays as it is.
    return values.length === 0
      ? text
      : text.replace(/\{(\d)\}/g, (place, index: string) => String(values[Number(index)] ?? place));
  },
};
