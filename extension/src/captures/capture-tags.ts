// Tags as they are typed. No vscode in here.

const MOST_TAGS = 50;
const LONGEST_TAG = 60;

/** `slow, #checkout slow` as `slow`, `checkout`. */
export function tagsIn(typed: string): string[] {
  const words = typed.split(/[\s,;]+/).map((word) => word.replace(/^#+/, "").slice(0, LONGEST_TAG));
  return [...new Set(words.filter((word) => word !== ""))].slice(0, MOST_TAGS);
}
