// The files of a folder at the time of a capture: those of its commit, with the capture's facts of uncommitted changes.
// No vscode in here.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import type { GitProgram } from "./git-program.js";
import { containsCommit } from "./known-commit.js";
import { eachTreeEntry, LIST_PATIENCE_MS } from "./tree-entries.js";
import { blobHash } from "./source-hashes.js";

/** What git calls the content of a file. */
interface FileThen {
  /** As the capture has it, else as it is in the commit. */
  readonly ran: string;
  /** In the commit, when that has such a file. */
  readonly committed: string | undefined;
}

const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MAX_FILE_BYTES = 2 * 1024 * 1024;

export class FilesThen {
  readonly #texts = new Map<string, Promise<string | undefined>>();
  readonly #byName = new Map<string, string[]>();

  /**
   * @param folder in the repository, on this machine
   * @param isWhole the commit's files are known; else only the sources that the capture names
   * @param files by their path below the folder
   */
  constructor(
    readonly folder: string,
    readonly isWhole: boolean,
    private readonly files: ReadonlyMap<string, FileThen>,
    private readonly git: GitProgram,
  ) {
    for (const path of files.keys()) {
      const name = path.split("/").at(-1) ?? path;
      const known = this.#byName.get(name);
      if (known === undefined) this.#byName.set(name, [path]);
      else known.push(path);
    }
  }

  /** Paths below the folder of the files with this name. */
  named(name: string): readonly string[] {
    return this.#byName.get(name) ?? [];
  }

  /** The text that ran, as far as git or the disk still has it, else the text in the commit. */
  text(path: string): Promise<string | undefined> {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const text = this.#read(path);
    this.#texts.set(path, text);
    return text;
  }

  async #read(path: string): Promise<string | undefined> {
    const file = this.files.get(path);
    if (file === undefined) return undefined;
    const { ran, committed } = file;
    return (
      (await this.#object(ran)) ??
      (await textOnDisk(join(this.folder, path), ran)) ??
      (committed === undefined || committed === ran ? undefined : this.#object(committed))
    );
  }

  #object(name: string): Promise<string | undefined> {
    return this.git.answer(this.folder, ["cat-file", "blob", name]);
  }
}

/** Why the files of a commit are not known: the repository lacks it, or git did not list them in time. */
export type NoFiles = "unknown-commit" | "unlisted";

/**
 * @returns those of the commit; where git does not list them, those that the capture names, if any of them is there, and
 *   why; undefined in no repository
 */
export async function filesThen(
  git: GitProgram,
  folder: string,
  origin: OriginFacts,
): Promise<{ readonly files: FilesThen | undefined; readonly why: NoFiles | undefined } | undefined> {
  const prefix = await git.answer(folder, ["rev-parse", "--show-prefix"]);
  if (prefix === undefined) return undefined;
  const below = (paths: Iterable<readonly [string, FileThen]>) =>
    new Map(
      [...paths].flatMap(([path, file]) =>
        path.startsWith(prefix) ? [[path.slice(prefix.length), file] as const] : [],
      ),
    );
  const named = Object.entries(origin.sources).filter(([path, object]) => OBJECT_NAME.test(object) && isPlain(path));
  const committed = await filesOfCommit(git, folder, { commit: origin.commit, prefix });
  if (committed !== undefined) {
    const all = new Map(
      [...committed].map(([path, object]): [string, FileThen] => [path, { ran: object, committed: object }]),
    );
    for (const [path, ran] of named) all.set(path, { ran, committed: committed.get(path) });
    return { files: new FilesThen(folder, true, below(all), git), why: undefined };
  }
  const why = (await containsCommit(git, folder, origin.commit)) === false ? "unknown-commit" : "unlisted";
  const known = below(named.map(([path, ran]) => [path, { ran, committed: undefined }] as const));
  const files = (await anyIsThere(folder, known.keys())) ? new FilesThen(folder, false, known, git) : undefined;
  return { files, why };
}

/** Git's name of the content of each file whose path begins so; undefined when it has not that commit. Links and submodules are no files. */
async function filesOfCommit(
  git: GitProgram,
  folder: string,
  { commit, prefix }: { readonly commit: string; readonly prefix: string },
): Promise<Map<string, string> | undefined> {
  if (!OBJECT_NAME.test(commit)) return undefined;
  const files = new Map<string, string>();
  const isWhole = await eachTreeEntry(
    git,
    folder,
    commit,
    ({ mode, object, path }) => {
      if (mode.startsWith("100") && path.startsWith(prefix)) files.set(path, object);
    },
    { patienceMs: LIST_PATIENCE_MS },
  );
  return isWhole ? files : undefined;
}

function isPlain(path: string): boolean {
  return !path.startsWith("/") && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** The folder is of the same project when it has one of these. */
async function anyIsThere(folder: string, paths: Iterable<string>): Promise<boolean> {
  for (const path of paths) if (await isFile(join(folder, path))) return true;
  return false;
}

async function isFile(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= MAX_FILE_BYTES;
  } catch {
    return false;
  }
}

/** The file as it is now, when its hash is that of the capture. */
async function textOnDisk(path: string, object: string): Promise<string | undefined> {
  if (!(await isFile(path))) return undefined;
  try {
    const bytes = await readFile(path);
    return blobHash(bytes, object.length === 64 ? "sha256" : "sha1") === object ? bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}
