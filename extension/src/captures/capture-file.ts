// Where a capture goes and what its file is called. No vscode in here.

import { shortCommit } from "../commits/short-commit.js";

/** Ending of capture files. */
export const CAPTURE_ENDING = ".pb.gz";

/** `shop-20261121-140312-ab12cd3.pb.gz`: the node without its host (or the process id), the local time and the start of the commit's name, if there is one; fit for any file system. */
export function captureFileName(node: string | null, pid: number, at: Date, commit = ""): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${String(at.getFullYear())}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  const time = `${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
  const end = commit === "" ? "" : `-${shortCommit(commit)}`;
  return `${fileNamePart((node ?? "").split("@")[0] ?? "") || `beam-${String(pid)}`}-${day}-${time}${end}${CAPTURE_ENDING}`;
}

/**
 * Names that captures get by themselves end so: the local time, the start of the commit's name, the number of a name
 * that was taken, and that of a further VM of a command (`.2`), which a copy can follow (`-2`).
 */
const OWN_NAME = /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(?:-[0-9a-f]{7})?(?:-\d+)?(?:\.\d+(?:-\d+)?)?$/;

/** The files of a flight recorder, and of a capture without an end (`--keep`), end so: a number, and when each begins, UTC. */
const OWN_PART = /\.\d{5,}-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-\d+)?$/;

/**
 * The name of a copy that a user chose, with the ending of captures. Dialogs know the part behind the last dot alone: a
 * filter for the whole ending makes the one of the browser add it to each name, also to one that has it.
 */
export function copyName(chosen: string): string {
  return chosen.endsWith(CAPTURE_ENDING) ? chosen : `${chosen.replace(/(?<=.)(?:\.pb|\.gz)$/, "")}${CAPTURE_ENDING}`;
}

/** A file's name without the ending of captures. */
export function stemOf(name: string): string {
  return name.endsWith(CAPTURE_ENDING) ? name.slice(0, -CAPTURE_ENDING.length) : name;
}

/** The time that a capture's own name ends with; undefined for a name that the user gave. */
export function timeInName(name: string): Date | undefined {
  const stem = stemOf(name);
  const part = OWN_PART.exec(stem);
  const found = part ?? OWN_NAME.exec(stem);
  if (found === null) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  return part === null
    ? new Date(year, month - 1, day, hour, minute, second)
    : new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

/** What a capture's own name has before the time; other names without their ending. */
export function beforeTime(name: string): string {
  return stemOf(name).replace(OWN_PART, "").replace(OWN_NAME, "");
}

/** The name that the user gave a capture of several files, which its files begin with; empty for all other names. */
export function givenName(name: string): string {
  const stem = stemOf(name);
  const whole = stem.replace(OWN_PART, "");
  return whole === stem || OWN_NAME.test(whole) ? "" : whole;
}

/** Of a file of another tool: `.folded.txt.gz`. */
const FOREIGN_ENDING = /\.[a-z][\w.]*$/i;

/** The name, or with a number before its ending when it is taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const ending = name.endsWith(CAPTURE_ENDING) ? CAPTURE_ENDING : (FOREIGN_ENDING.exec(name)?.[0] ?? "");
  const stem = name.slice(0, name.length - ending.length);
  for (let number = 2; ; number += 1) {
    const candidate = `${stem}-${String(number)}${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** The name that a file gets as a capture. That of another tool's profile keeps its own ending, which names the format. */
export function importedName(name: string): string {
  if (name.endsWith(CAPTURE_ENDING)) return name;
  return `${name.replace(/\.gz$/, "").replace(/\.(?:pb|pprof)$/, "")}${CAPTURE_ENDING}`;
}

/** Characters of a name that a person gives, without the ending: file systems take about 255 bytes. */
export const LONGEST_STEM = 200;

/** The new name of a capture, with the ending, or why it can be none. */
export type NewName = { readonly name: string } | { readonly problem: "impossible" | "tooLong" };

/** What a person typed as the new name of a capture. */
export function renamedTo(typed: string): NewName {
  const stem = typed.trim().replace(/(\.pb\.gz)+$/i, "");
  if (stem === "" || stem === "." || stem === ".." || /[\\/:*?"<>|\u0000-\u001f]/.test(stem))
    return { problem: "impossible" };
  return stem.length > LONGEST_STEM ? { problem: "tooLong" } : { name: stem + CAPTURE_ENDING };
}

// A node name is another program's text: no separators, no leading dot, not endless.
function fileNamePart(text: string): string {
  return text
    .slice(0, 100)
    .replace(/[^\p{L}\p{N}@._-]+/gu, "_")
    .replace(/^[.\-_]+|[.\-_]+$/g, "")
    .slice(0, 60);
}
