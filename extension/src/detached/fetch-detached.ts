// The file of a detached capture, brought here. No vscode in here.

import { copiedInPieces, replacedWhole } from "../helper/copied-file.js";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";
import { WordedError } from "../text/error-text.js";
import type { FetchedSoFar } from "./follow-detached.js";

/** A clean end puts another file in its place, once; a host may do so all the time. */
const MOST_FILES = 5;

/**
 * Writes the capture so far to `file`, replacing an existing file.
 * @param onProgress receives how many bytes of how many have arrived
 */
export async function fetchDetached(
  helper: HelperConnection,
  name: string,
  file: string,
  token?: Cancellation,
  onProgress?: (bytes: number, of: number) => void,
): Promise<FetchedSoFar> {
  let fetched: FetchedSoFar | undefined;
  await replacedWhole(file, async (part) => {
    for (let files = 1; (fetched = await copied(helper, name, part, token, onProgress)) === undefined; files += 1)
      if (files === MOST_FILES)
        throw new WordedError((l10n) => l10n.t("the host replaced the file of the capture {0} times", MOST_FILES));
  });
  return fetched ?? { fileId: undefined, bytes: 0 };
}

/** Reads it from its start; undefined when another file took its place during the copy. */
async function copied(
  helper: HelperConnection,
  name: string,
  part: string,
  token?: Cancellation,
  onProgress: (bytes: number, of: number) => void = () => {},
): Promise<FetchedSoFar | undefined> {
  let fileId: unknown;
  let length = 0;
  const isWhole = await copiedInPieces(
    part,
    async (from, maxBytes) => {
      const piece = await helper.request("extrospect/detached/read", { name, from, maxBytes }, token);
      if (from === 0) fileId = piece.fileId;
      return piece.fileId === fileId ? piece : undefined;
    },
    (bytes, of) => {
      length = bytes;
      onProgress(bytes, of);
    },
  );
  return isWhole ? { fileId, bytes: length } : undefined;
}
