// A picture in a Markdown text. No vscode in here.

import { escapeMarkdown } from "../../../contract/plain-text.js";

/** @param file name of the file, which lies beside the text */
export function markdownPicture(title: string, file: string): string {
  // Brackets would end the address.
  const address = encodeURIComponent(file).replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));
  return `![${escapeMarkdown(title)}](${address})`;
}
