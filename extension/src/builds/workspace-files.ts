// The files of a workspace that identify its builds: modules, sources, project files. No vscode in here.
// The helper walks alike: native-helper/crates/source/builds/src/workspace.rs.

import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { BuildFacts, FileRequest } from "../../../contract/editor-module.generated.js";

/** How much of a folder is looked at. */
export interface WalkBounds {
  /** Files and folders together. */
  readonly entries: number;
  /** Folders within folders. */
  readonly depth: number;
  /** Bytes of all files that are read. */
  readonly bytes: number;
}

export interface WorkspaceFiles {
  readonly files: readonly FileRequest[];
  /** Of those that have one, in their order. */
  readonly contents: readonly Uint8Array[];
  /** The folder has more than was looked at. */
  readonly isCut: boolean;
}

export const WALK_BOUNDS: WalkBounds = { entries: 200_000, depth: 40, bytes: 128 * 1024 * 1024 };

const READ_ENDINGS = /\.(?:beam|erl|yrl|xrl|lfe|hrl|ex|eex|heex|leex|gleam|src|rel|exs|toml)$/;
const PROJECTS = new Set(["mix.exs", "gleam.toml"]);
/** No module is longer. */
const LARGEST_BYTES = 64 * 1024 * 1024;
const AT_A_TIME = 32;

/** Does not follow symbolic links, enter hidden folders or return unreadable files. */
export async function workspaceFiles(
  root: string,
  facts: BuildFacts,
  bounds: WalkBounds = WALK_BOUNDS,
  signal?: AbortSignal,
): Promise<WorkspaceFiles> {
  const found: string[] = [];
  const folders: { path: string; depth: number }[] = [{ path: "", depth: 0 }];
  let { entries: entriesLeft, bytes: bytesLeft } = bounds;
  let isCut = false;
  for (let folder = folders.pop(); folder !== undefined && signal?.aborted !== true; folder = folders.pop()) {
    const { path: above, depth } = folder;
    const entries = await readdir(join(root, above), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entriesLeft-- <= 0) {
        isCut = true;
        folders.length = 0;
        break;
      }
      const path = above === "" ? entry.name : `${above}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules") {
        if (depth < bounds.depth) folders.push({ path, depth: depth + 1 });
        else isCut = true;
      } else if (entry.isFile() && READ_ENDINGS.test(entry.name)) found.push(path);
    }
  }
  const files: FileRequest[] = [];
  const contents: Uint8Array[] = [];
  for (let at = 0; at < found.length && signal?.aborted !== true; at += AT_A_TIME) {
    const read = await Promise.all(
      found.slice(at, at + AT_A_TIME).map(async (path) => {
        const stat = await lstat(join(root, path)).catch(() => undefined);
        if (stat === undefined || !stat.isFile()) return undefined;
        const isWanted = isRead(path, facts) && stat.size <= Math.min(LARGEST_BYTES, bytesLeft);
        if (isWanted) bytesLeft -= stat.size;
        else if (isRead(path, facts)) isCut = true;
        return {
          path,
          modified: Math.floor(stat.mtimeMs),
          content: isWanted ? await firstBytes(join(root, path), stat.size) : undefined,
        };
      }),
    );
    for (const file of read) {
      if (file === undefined) continue;
      files.push({ path: file.path, modified_ms: file.modified, bytes: file.content?.length ?? null });
      if (file.content !== undefined) contents.push(file.content);
    }
  }
  return { files, contents, isCut };
}

function isRead(path: string, { modules }: BuildFacts): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.endsWith(".beam") ? Object.hasOwn(modules, name.slice(0, -".beam".length)) : PROJECTS.has(name);
}

/** No more than it had when it was looked at, whatever became of it since. */
async function firstBytes(path: string, length: number): Promise<Uint8Array | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
