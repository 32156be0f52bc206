// The file of a capture that is taken on another machine: it grows here as increments arrive, and is the whole one in the end. No vscode in here.

import { appendFile, writeFile } from "node:fs/promises";
import {
  copiedInPieces,
  isFileLength,
  noFileLength,
  READ_AT_ONCE_BYTES,
  replacedWhole,
  type FilePiece,
} from "../helper/copied-file.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { WordedError } from "../text/error-text.js";
import type { ReadRange } from "./increments.js";

export class FarFile {
  #writing: Promise<void>;
  #problem: Error | undefined;

  /** @param file where it goes here; it is not there yet */
  constructor(
    private readonly helper: HelperConnection,
    private readonly captureId: number,
    readonly file: string,
  ) {
    this.#writing = this.#kept(() => writeFile(file, "", { flag: "wx", mode: 0o600 }));
  }

  /** Why the file here is not whole; undefined while nothing has gone wrong. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Appends the arrived members of the far file, in its order. */
  append(bytes: Uint8Array): void {
    this.#writing = this.#writing.then(() => this.#kept(() => appendFile(this.file, bytes)));
  }

  /** Reads the parts that the helper left out of the stream. */
  readonly readRange: ReadRange = (_, from, to) => this.#read(from, to);

  /** Settles when all appended bytes are in the file, as far as possible. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /**
   * Replaces the arrived members by the whole file, as a clean end has rewritten it, and removes it there. When that
   * fails, the arrived members stay: they are a capture of their own. Never throws: see `problem`.
   */
  async complete(): Promise<void> {
    await this.#writing;
    await this.#kept(() => broughtHere(this.helper, this.captureId, this.file));
  }

  async #read(from: number, to: number): Promise<Uint8Array> {
    if (!isFileLength(to - from)) throw noFileLength();
    const pieces: Buffer[] = [];
    for (let at = from; at < to;) {
      const { base64 } = await this.#piece(at, Math.min(READ_AT_ONCE_BYTES, to - at));
      const bytes = Buffer.from(base64, "base64").subarray(0, to - at);
      if (bytes.length === 0)
        throw new WordedError((l10n) => l10n.t("the host sends less of the capture than it reported"));
      pieces.push(bytes);
      at += bytes.length;
    }
    return Buffer.concat(pieces);
  }

  #piece(from: number, maxBytes: number): Promise<FilePiece> {
    return pieceOf(this.helper, this.captureId, from, maxBytes);
  }

  async #kept(work: () => Promise<unknown>): Promise<void> {
    if (this.#problem !== undefined) return;
    try {
      await work();
    } catch (error) {
      this.#problem = error instanceof Error ? error : new Error(String(error));
    }
  }
}

/**
 * Copies a complete file to this machine, over an existing one, and removes it on the other machine.
 * @throws when it does not arrive complete: then the file here stays, and the one there, too
 */
export async function broughtHere(helper: HelperConnection, captureId: number, file: string): Promise<void> {
  await replacedWhole(file, async (part) => {
    await copiedInPieces(part, (from, maxBytes) => pieceOf(helper, captureId, from, maxBytes));
  });
  await helper.request("extrospect/capture/remove", { captureId }).catch(() => {});
}

function pieceOf(helper: HelperConnection, captureId: number, from: number, maxBytes: number): Promise<FilePiece> {
  return helper.request("extrospect/capture/read", { captureId, from, maxBytes });
}
