// Paths as a VM or a compiler reports them, and prefixes of them, part by part. Hostile text: nothing of it is followed. No vscode in here.

/** A path taken apart, of any system, without `.` and `..`. */
export interface PathParts {
  readonly isAbsolute: boolean;
  /** A drive of Windows is the first part: `C:`. */
  readonly parts: readonly string[];
}

/** As long as paths can be; longer ones were made to take long. */
const LONGEST_PATH = 4096;
const DRIVE = /^[a-z]:$/i;

/**
 * Takes a path apart. Folders that are left again by `..` are dropped, as a compiler's `erts/emulator/../include` has them.
 * @returns undefined for a text that is no path, or leads out of its start
 */
export function pathParts(path: string): PathParts | undefined {
  if (path === "" || path.length > LONGEST_PATH || path.includes("\0")) return undefined;
  const slashed = path.replaceAll("\\", "/");
  const parts: string[] = [];
  for (const part of slashed.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  const isAbsolute = slashed.startsWith("/") || DRIVE.test(slashed.split("/", 1)[0] ?? "");
  // `C:/..` left its drive.
  if (isAbsolute && !slashed.startsWith("/") && !DRIVE.test(parts[0] ?? "")) return undefined;
  return { isAbsolute, parts };
}

/**
 * The part of a path below a prefix; undefined when it does not begin with it. Windows does not distinguish upper and
 * lower case.
 */
export function restBelow(prefix: PathParts, path: PathParts): readonly string[] | undefined {
  if (prefix.isAbsolute !== path.isAbsolute || prefix.parts.length >= path.parts.length) return undefined;
  const alike = DRIVE.test(prefix.parts[0] ?? "") ? (part: string) => part.toLowerCase() : (part: string) => part;
  const begins = prefix.parts.every((part, at) => alike(part) === alike(path.parts[at] ?? ""));
  return begins ? path.parts.slice(prefix.parts.length) : undefined;
}

/** A folder as it is written in settings: `/app/`, `C:/build/`, `shop/src/`. */
export function folderText({ isAbsolute, parts }: PathParts): string {
  const start = isAbsolute && !DRIVE.test(parts[0] ?? "") ? "/" : "";
  return `${start}${parts.map((part) => `${part}/`).join("")}`;
}
