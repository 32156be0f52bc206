// Git's hash of sources as they are on disk. No vscode in here.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** Longer files are no sources. */
const LARGEST_BYTES = 8_000_000;
const MOST_FILES = 10_000;
const AT_A_TIME = 16;

/** Git's name for these bytes. @param algorithm that of the repository */
export function blobHash(bytes: Uint8Array, algorithm: "sha1" | "sha256" = "sha1"): string {
  return createHash(algorithm)
    .update(`blob ${String(bytes.length)}\0`)
    .update(bytes)
    .digest("hex");
}

/**
 * The files below `top` by their path there, with slashes; unreadable files are left out.
 * @param commit its length identifies the hash algorithm of the repository
 */
export async function hashSources(
  top: string,
  files: Iterable<string>,
  commit: string,
): Promise<Record<string, string>> {
  const algorithm = commit.length === 64 ? "sha256" : "sha1";
  const below = [...new Set(files)].flatMap((file) => {
    const path = relative(top, file);
    return path === "" || path.startsWith("..") || isAbsolute(path) ? [] : [{ file, path: path.split(sep).join("/") }];
  });
  const wanted = below.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MOST_FILES);
  const hashes: [string, string][] = [];
  for (let at = 0; at < wanted.length; at += AT_A_TIME) {
    const read = wanted.slice(at, at + AT_A_TIME).map(async ({ file, path }) => {
      try {
        const found = await stat(file);
        if (found.isFile() && found.size <= LARGEST_BYTES)
          hashes.push([path, blobHash(await readFile(file), algorithm)]);
      } catch {
        // Gone, or not ours to read.
      }
    });
    await Promise.all(read);
  }
  return Object.fromEntries(hashes.sort(([a], [b]) => (a < b ? -1 : 1)));
}
