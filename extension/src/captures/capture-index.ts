// Remembers the facts of capture files, so that the list need not read them again. It is a cache: after any problem
// with its file, the captures are read again. No vscode in here.

import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { CaptureSummary } from "./capture-summary.js";

/** Goes on with each change of what a summary holds: an index of another version is none. */
const VERSION = 6;
const MOST_ENTRIES = 50_000;
const LARGEST_BYTES = 256 * 1024 * 1024;

export interface FileState {
  readonly mtime: number;
  readonly size: number;
}

interface Entry extends FileState {
  /** Null: it could not be read. */
  readonly summary: CaptureSummary | null;
}

/** By address, valid as long as time and size of the file stay. */
export class CaptureIndex {
  #entries = new Map<string, Entry>();
  #loading: Promise<void> | undefined;
  #saving = Promise.resolve();
  #isDirty = false;

  constructor(private readonly file: string) {}

  /** Reads the file, once. */
  load(): Promise<void> {
    return (this.#loading ??= this.#read());
  }

  /** Undefined: not known. */
  get(address: string, { mtime, size }: FileState): CaptureSummary | null | undefined {
    const entry = this.#entries.get(address);
    return entry?.mtime === mtime && entry.size === size ? entry.summary : undefined;
  }

  /**
   * When it began, milliseconds since 1970, as it was read last: a note changes time and size of a file, and not its
   * start. Undefined: not known.
   */
  startOf(address: string): number | undefined {
    return this.#entries.get(address)?.summary?.startedUnixMs;
  }

  set(address: string, { mtime, size }: FileState, summary: CaptureSummary | null): void {
    const known = this.#entries.get(address);
    if (known?.mtime === mtime && known.size === size && known.summary === summary) return;
    // The one set last is forgotten last.
    this.#entries.delete(address);
    this.#entries.set(address, { mtime, size, summary });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MOST_ENTRIES) break;
      this.#entries.delete(oldest);
    }
    this.#isDirty = true;
  }

  /** Writes what changed; failing to is no error. */
  save(): Promise<void> {
    if (this.#isDirty) {
      this.#isDirty = false;
      const text = JSON.stringify({ version: VERSION, entries: [...this.#entries] });
      this.#saving = this.#saving.then(() => this.#write(text)).catch(() => {});
    }
    return this.#saving;
  }

  async #write(text: string): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true });
    // Another window may read it now, or write its own: the last one stays.
    const beside = `${this.file}.${String(process.pid)}`;
    try {
      await writeFile(beside, text, { mode: 0o600 });
      await rename(beside, this.file);
    } finally {
      await rm(beside, { force: true });
    }
  }

  async #read(): Promise<void> {
    try {
      if ((await stat(this.file)).size > LARGEST_BYTES) return;
      const index: unknown = JSON.parse(await readFile(this.file, "utf8"));
      if (!isIndex(index)) return;
      // Entries set during the read are newer.
      this.#entries = new Map([...index.entries.filter(isEntry), ...this.#entries]);
    } catch {
      // Missing or garbage.
    }
  }
}

function isIndex(value: unknown): value is { readonly entries: readonly unknown[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    value.version === VERSION &&
    "entries" in value &&
    Array.isArray(value.entries)
  );
}

function isEntry(value: unknown): value is [string, Entry] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [address, entry] = value as [unknown, unknown];
  if (typeof address !== "string" || typeof entry !== "object" || entry === null) return false;
  const { mtime, size, summary } = entry as Partial<Record<keyof Entry, unknown>>;
  return typeof mtime === "number" && typeof size === "number" && (summary === null || isSummary(summary));
}

const MEMBERS = {
  target: "string",
  otp: "string",
  pid: "number",
  startedUnixMs: "number",
  durationMs: "number",
  samples: "number",
  frequencyHz: "number",
  unit: "string",
  isOwn: "boolean",
  isWaits: "boolean",
  isCut: "boolean",
  imported: "object",
  quality: "object",
  includeKernel: "boolean",
  commit: "string",
  branch: "string",
  describe: "string",
  repository: "string",
  release: "string",
  isDirty: "boolean",
  sources: "number",
  host: "object",
  work: "object",
  note: "string",
  tags: "object",
  isPinned: "boolean",
} as const satisfies Record<keyof CaptureSummary, string>;

function isSummary(value: unknown): value is CaptureSummary {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Record<string, unknown>;
  return (
    Object.entries(MEMBERS).every(([name, type]) => typeof members[name] === type) &&
    Array.isArray(members["tags"]) &&
    (members["tags"] as unknown[]).every((tag) => typeof tag === "string")
  );
}
