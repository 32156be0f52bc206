// Names from a VM as a page or a text may show them: of bounded length, with nothing hidden in them.

const LONGEST = 300;

// Control characters, and those that turn the reading direction or take no room.
 
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** What cannot be seen is spelled out (`\u{202e}`): two names that differ look different. */
export function shownName(name: string, longest = LONGEST): string {
  // Cut first: a name can be megabytes long.
  const cut = name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
  return cut.replace(UNSEEN, (unseen) => `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Last part of a path. */
export function baseName(path: string): string {
  return shownName(path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1), 120);
}

/** `file.erl:12`, as far as it is known; else empty. */
export function placeText(file: string, line: number): string {
  return file === "" ? "" : line > 0 ? `${baseName(file)}:${line}` : baseName(file);
}
