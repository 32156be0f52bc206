// Text that comes from a VM, a file or another program, made fit to be shown. No vscode in here.

/** Sentence builder of the editor (`vscode.l10n`), passed in so that texts can be tested without an editor. */
export interface Words {
  t(message: string, ...values: (string | number | boolean)[]): string;
}

// Control characters, and those that turn the reading direction or take no room; the helper has the same (`capture::visible`).
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const LONGEST_NAME = 300;
/** Characters of a name in a message: two names and the words around them have to fit into one. */
export const LONGEST_SHOWN_NAME = 200;

/** At most `longest` characters: names from a VM may be of any length. A cut shows as `…`. */
export function clipped(text: string, longest = LONGEST_NAME): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** A sentence of others: one line of at most `longest` characters, without control characters. */
export function plainText(text: string, longest = 200): string {
  // Cut first: a text can be megabytes long.
  return clipped(
    text
      .slice(0, longest * 2)
      .replace(UNSEEN, " ")
      .trim(),
    longest,
  );
}

/**
 * A name from outside: cut, then invisible characters are spelled out (`\u{202e}`), so that two names that differ look
 * different.
 */
export function shownName(name: string, longest = LONGEST_NAME): string {
  return clipped(name, longest).replace(UNSEEN, (unseen) => `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`);
}

/** For places that turn `$(name)` into an icon: quick picks, status bar. */
export function withoutIcons(text: string): string {
  return text.replaceAll("$(", "$ (");
}

/** For Markdown: nothing of it is markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!~|<>&$:@]/g, "\\$&").replace(/[\r\n\u2028\u2029]/g, " ");
}

/** For HTML text and attribute values. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
