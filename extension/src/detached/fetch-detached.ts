// The file of a detached capture, brought here. No vscode in here.

import { copiedInPieces, replacedWhole } from "../helper/copied-file.js";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";

/** A clean end puts another file in its place, once; a host may do so all the time. */
const MOST_FILES = 5;

/**
 * Writes what has been captured so far to `file`, in the place of what is there.
 * @param told hears how many bytes of how many have come
 */
export function fetchDetached(helper: HelperConnection, name: string, file: string, token?: Cancellation, told?: (bytes: number, of: number) => void): Promise<void> {
  return replacedWhole(file, async (part) => {
    for (let files = 1; !(await isWhole(helper, name, part, token, told)); files += 1) if (files === MOST_FILES) throw new Error("the capture is another one all the time");
  });
}

/** Reads it from its start; false when another file took its place meanwhile. */
function isWhole(helper: HelperConnection, name: string, part: string, token?: Cancellation, told?: (bytes: number, of: number) => void): Promise<boolean> {
  let firstId: unknown;
  return copiedInPieces(
    part,
    async (from, maxBytes) => {
      const piece = await helper.request("extrospect/detached/read", { name, from, maxBytes }, token);
      if (from === 0) firstId = piece.fileId;
      return piece.fileId === firstId ? piece : undefined;
    },
    told,
  );
}
