// Words in English, as the sources have them: for pages that are English in every editor. No vscode in here.

import type { Words } from "./plain-text.js";

export const ENGLISH: Words = {
  t: (message, ...values) => message.replace(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)])),
};
