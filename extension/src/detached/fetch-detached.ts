// The file of a detached capture, brought here. No vscode in here.

import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";

/** Asked for at a time. */
const READ_AT_ONCE_BYTES = 1 << 20;
/** A host may say anything; a longer capture is not believed. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;
/** A clean end puts another file in its place, once; a host may do so all the time. */
const MOST_FILES = 5;

/**
 * Writes what has been captured so far to `file`, in the place of what is there.
 * @param told hears how many bytes of how many have come
 */
export async function fetchDetached(helper: HelperConnection, name: string, file: string, token?: Cancellation, told: (bytes: number, of: number) => void = () => {}): Promise<void> {
  const part = `${file}.part`;
  try {
    for (let files = 1; !(await isWhole(helper, name, part, token, told)); files += 1) if (files === MOST_FILES) throw new Error("the capture is another one all the time");
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Reads it from its start; false when another file took its place meanwhile. */
async function isWhole(helper: HelperConnection, name: string, part: string, token: Cancellation | undefined, told: (bytes: number, of: number) => void): Promise<boolean> {
  await writeFile(part, "", { mode: 0o600 });
  let firstId: unknown;
  // As long as it is at first: one that goes on would be read for ever over a slow line.
  for (let from = 0, length = 1; from < length;) {
    const { base64, fileBytes, fileId } = await helper.request("extrospect/detached/read", { name, from, maxBytes: READ_AT_ONCE_BYTES }, token);
    if (from === 0) [firstId, length] = [fileId, fileBytes];
    if (fileId !== firstId) return false;
    const bytes = Buffer.from(base64, "base64").subarray(0, length - from);
    if (!(length <= MAX_FILE_BYTES) || (bytes.length === 0 && from < length)) throw new Error("the host does not give the capture it has told of");
    await appendFile(part, bytes);
    from += bytes.length;
    told(from, length);
  }
  return true;
}
