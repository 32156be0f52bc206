// A sentence made fit for the places where the editor draws links and icons in plain text. No vscode in here.

import { plainText, withoutIcons } from "../../../contract/plain-text.js";

/** The editor cuts longer messages itself. */
const LONGEST_MESSAGE = 1000;

/**
 * Text for a notification, a picker, a progress or the status bar: one line without control characters, in which neither
 * `[text](command:…)` is a link nor `$(name)` an icon. Names of a VM, a capture or a file need nothing else.
 */
export function messageText(text: string): string {
  return withoutIcons(plainText(text, LONGEST_MESSAGE)).replaceAll("](", "] (");
}

/** As {@link messageText}, behind an icon of the editor. @param icon its name, such as `info` */
export function messageWithIcon(icon: string, text: string): string {
  return `$(${icon}) ${messageText(text)}`;
}
