// A file of the machine where the helper runs, brought here in pieces. No vscode in here.

import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import { WordedError } from "../text/error-text.js";

/** Bytes of one request. */
export const READ_AT_ONCE_BYTES = 1 << 20;
/** A host may claim any length; a longer capture is rejected. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;

/** An answer of the helper, which may lie. */
export interface FilePiece {
  readonly base64: string;
  /** Of the whole file. */
  readonly fileBytes: number;
}

/** Whether a file may be so long; anything but a number is no length. */
export function isFileLength(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= MAX_FILE_BYTES;
}

/** The host reports a length that is none. */
export function noFileLength(): WordedError {
  return new WordedError((l10n) => l10n.t("the host reports a length that no capture has"));
}

/**
 * Has a file written beside its place, and moves it there when it is complete, over an existing file. When it does not
 * become complete, the existing file stays.
 * @param write gets the path to write to
 */
export async function replacedWhole(file: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${file}.part`;
  try {
    await write(part);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Copies a file from its start, as long as it is at first: one that grows would be read for ever over a slow line.
 * @param file   the destination; the rest of an earlier copy there is removed
 * @param piece  requests the next bytes; undefined ends the copy
 * @param onProgress   receives how many bytes of how many have arrived
 * @returns whether it was copied to its end
 */
export async function copiedInPieces(
  file: string,
  piece: (from: number, maxBytes: number) => Promise<FilePiece | undefined>,
  onProgress: (bytes: number, of: number) => void = () => {},
): Promise<boolean> {
  await rm(file, { force: true });
  await writeFile(file, "", { flag: "wx", mode: 0o600 });
  for (let from = 0, length = 1; from < length;) {
    const next = await piece(from, READ_AT_ONCE_BYTES);
    if (next === undefined) return false;
    if (from === 0) length = next.fileBytes;
    const bytes = isFileLength(length)
      ? Buffer.from(next.base64, "base64").subarray(0, length - from)
      : Buffer.alloc(0);
    if (!isFileLength(length) || (bytes.length === 0 && from < length))
      throw new WordedError((l10n) => l10n.t("the host does not send the capture that it listed"));
    await appendFile(file, bytes);
    from += bytes.length;
    onProgress(from, length);
  }
  return true;
}
