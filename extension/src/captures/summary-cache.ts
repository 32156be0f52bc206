// Remembers what capture files are, so that the list need not read them again.

import type * as vscode from "vscode";
import type { CaptureSummary } from "./capture-summary.js";

const KEY = "extrospect.captureSummaries";
const MOST = 500;

interface Entry {
  readonly mtime: number;
  readonly size: number;
  /** Null: it could not be read. */
  readonly summary: CaptureSummary | null;
}

/** By file, valid as long as its time and size stay. Kept in the workspace's storage. */
export class SummaryCache {
  readonly #entries: Map<string, Entry>;
  #isDirty = false;

  constructor(private readonly memento: vscode.Memento) {
    this.#entries = new Map(Object.entries(memento.get<Record<string, Entry>>(KEY, {})));
  }

  /** Undefined: not known. */
  get(uri: vscode.Uri, { mtime, size }: vscode.FileStat): CaptureSummary | null | undefined {
    const entry = this.#entries.get(uri.toString());
    return entry?.mtime === mtime && entry.size === size ? entry.summary : undefined;
  }

  set(uri: vscode.Uri, { mtime, size }: vscode.FileStat, summary: CaptureSummary | null): void {
    const key = uri.toString();
    // The one set last is forgotten last.
    this.#entries.delete(key);
    this.#entries.set(key, { mtime, size, summary });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MOST) break;
      this.#entries.delete(oldest);
    }
    this.#isDirty = true;
  }

  async save(): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    await this.memento.update(KEY, Object.fromEntries(this.#entries));
  }
}
