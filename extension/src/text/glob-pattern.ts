// Globs as the editor's settings have them, for paths that are on no disk. No vscode in here.
//
// No regular expression: a pattern with many stars would make it try each way to divide the path among them.

/** Of `{a,b}{c,d}…`, each of which doubles the number of patterns. Those beyond are left out. */
const MOST_ALTERNATIVES = 512;

/** A part of a name: any characters, one of a class, or exactly this one. */
type NamePart = "*" | ((char: string) => boolean);
/** A part of a path: any folders, or one name. */
type PathPart = "**" | readonly NamePart[];

export interface Glob {
  /** @param path below a folder, with slashes */
  test(path: string): boolean;
}

/**
 * Whether a path is meant: `**` is any folders, `*` and `?` are within a name, `[a-z]` and `[!a]` are one character,
 * `{a,b}` is either. A folder that is meant is so with all in it.
 */
export function globPattern(glob: string): Glob {
  const patterns = alternatives(glob).map(pathParts);
  return {
    test: (path) => {
      const names = path.split("/");
      return patterns.some((parts) => fits(names, parts, "**", nameFits));
    },
  };
}

/** The patterns without braces. A brace that is not closed is a character. */
function alternatives(glob: string): readonly string[] {
  const done: string[] = [];
  const open = [glob];
  for (let next = open.pop(); next !== undefined && done.length < MOST_ALTERNATIVES; next = open.pop()) {
    const brace = firstBraces(next);
    if (brace === undefined) done.push(next);
    else open.push(...brace.choices.map((choice) => brace.before + choice + brace.after).slice(0, MOST_ALTERNATIVES));
  }
  return done;
}

/** The first pair of braces that belong together, and what the commas between them divide. */
function firstBraces(
  glob: string,
): { readonly before: string; readonly choices: readonly string[]; readonly after: string } | undefined {
  const from = glob.indexOf("{");
  if (from === -1) return undefined;
  const choices: string[] = [];
  let [depth, start] = [0, from + 1];
  for (let at = from; at < glob.length; at++) {
    const char = glob[at];
    if (char === "{") depth++;
    else if (char === "}") depth--;
    if (depth === 0 || (depth === 1 && char === ",")) {
      choices.push(glob.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) return { before: glob.slice(0, from), choices, after: glob.slice(at + 1) };
  }
  return undefined;
}

function pathParts(pattern: string): readonly PathPart[] {
  const parts = pattern.split("/").map((part): PathPart => (part === "**" ? part : nameParts(part)));
  return [...parts, "**"];
}

function nameParts(name: string): readonly NamePart[] {
  const parts: NamePart[] = [];
  for (let at = 0; at < name.length; at++) {
    const char = name[at] ?? "";
    const end = char === "[" ? name.indexOf("]", at + 2) : -1;
    if (char === "*") parts.push("*");
    else if (char === "?") parts.push(() => true);
    else if (end !== -1) {
      parts.push(characterClass(name.slice(at + 1, end)));
      at = end;
    } else parts.push((other) => other === char);
  }
  return parts;
}

/** @param text between the brackets */
function characterClass(text: string): (char: string) => boolean {
  const isNegated = /^[!^]./s.test(text);
  const ranges: (readonly [string, string])[] = [];
  for (let at = isNegated ? 1 : 0; at < text.length; at++) {
    const from = text[at] ?? "";
    const hasEnd = text[at + 1] === "-" && at + 2 < text.length;
    ranges.push([from, hasEnd ? (text[at + 2] ?? from) : from]);
    if (hasEnd) at += 2;
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== isNegated;
}

const nameFits = (name: string, parts: readonly NamePart[]) => fits([...name], parts, "*", (char, part) => part(char));

/**
 * Whether the parts stand for all items. Goes back to the last star alone: what one before it takes more, that one could
 * take as well. So the steps are at most items times parts.
 * @param star the part for any number of items
 */
function fits<Item, Part, Star extends Part & string>(
  items: readonly Item[],
  parts: readonly Part[],
  star: Star,
  isOne: (item: Item, part: Exclude<Part, Star>) => boolean,
): boolean {
  let [item, part] = [0, 0];
  let last: { part: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = parts[part];
    if (wanted === star) last = { part: part++, item };
    else if (wanted !== undefined && isOne(items[item] as Item, wanted as Exclude<Part, Star>)) {
      part++;
      item++;
    } else if (last !== undefined) {
      part = last.part + 1;
      item = ++last.item;
    } else return false;
  }
  while (parts[part] === star) part++;
  return part === parts.length;
}
