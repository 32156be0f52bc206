// Text that comes from a VM, a file or another program, made fit to be shown. No vscode in here.

// Control characters, and those that turn the reading direction or hide themselves.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** Sentence builder of the editor (`vscode.l10n`), passed in so that what words things can be tested without an editor. */
export interface Words {
  t(message: string, ...values: (string | number | boolean)[]): string;
}

/** One line of at most `longest` characters, without control characters. */
export function plainText(text: string, longest = 200): string {
  // Cut first: a name can be megabytes long.
  const line = text.slice(0, longest * 2).replace(UNSEEN, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

/** For places that turn `$(name)` into an icon: quick picks, status bar. */
export function withoutIcons(text: string): string {
  return text.replaceAll("$(", "$ (");
}

/** For Markdown: nothing of it is markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!~|<>&$:@]/g, "\\$&").replaceAll("\n", " ");
}

/** For HTML text and attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}
