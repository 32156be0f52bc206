// Follows the file of a detached capture while it grows. No vscode in here.

import { wholeMembersIn } from "../capture/capture-model.js";
import { isFileLength, noFileLength, READ_AT_ONCE_BYTES } from "../helper/copied-file.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { WordedError } from "../text/error-text.js";
import { isOngoing, knownDetached } from "./detached-rows.js";

/** The part of it that has been fetched. */
export interface FetchedSoFar {
  /** Which file that is; another one when it was rewritten, as a clean end does. */
  readonly fileId: unknown;
  readonly bytes: number;
}

export interface DetachedFollower {
  /** Whole members of the file, behind those that were fetched. */
  grew(bytes: Uint8Array): Promise<void>;
  /** Whether any view still shows it. */
  isWanted(): boolean;
  pause(ms: number): Promise<void>;
}

/** The helper there writes about once a second. */
const LOOK_MS = 1000;
/** While there is more than fits in one answer. */
const BEHIND_MS = 100;
/** A member that has not ended after so many bytes was not written by Extrospect. */
const LONGEST_MEMBER = 1 << 24;
/** It takes far less time to end once its file was rewritten: what still goes on then is another one of that name. */
const LOOKS_AT_ITS_END = 60;

/**
 * Passes on its new bytes until it ends or is no longer wanted. Once it has ended its file is another one: fetch it
 * anew.
 * @throws when the host no longer answers, or lies
 */
export async function followDetached(
  helper: HelperConnection,
  name: string,
  from: FetchedSoFar,
  follower: DetachedFollower,
): Promise<"ended" | "left"> {
  let at = from.bytes;
  let unfinished: Uint8Array = new Uint8Array();
  let isBehind = false;
  for (let looks = 0; looks < LOOKS_AT_ITS_END;) {
    await follower.pause(isBehind ? BEHIND_MS : LOOK_MS);
    if (!follower.isWanted()) return "left";
    const { base64, fileBytes, fileId } = await helper.request("extrospect/detached/read", {
      name,
      from: at,
      maxBytes: READ_AT_ONCE_BYTES,
    });
    if (!isFileLength(fileBytes)) throw noFileLength();
    const isSame = fileId === from.fileId && fileBytes >= at;
    const bytes = isSame ? Buffer.from(base64, "base64").subarray(0, fileBytes - at) : Buffer.alloc(0);
    if (bytes.length === 0 && !(await goesOn(helper, name))) return "ended";
    if (!isSame) {
      looks += 1;
      continue;
    }
    at += bytes.length;
    isBehind = bytes.length > 0 && at < fileBytes;
    unfinished = Buffer.concat([unfinished, bytes]);
    // The last member may be on its way to the disk there.
    const whole = wholeMembersIn(unfinished);
    if (whole > 0) await follower.grew(unfinished.subarray(0, whole));
    unfinished = unfinished.subarray(whole);
    if (unfinished.length > LONGEST_MEMBER)
      throw new WordedError((l10n) => l10n.t("the host sends bytes that are no capture"));
  }
  return "ended";
}

async function goesOn(helper: HelperConnection, name: string): Promise<boolean> {
  const { captures } = await helper.request("extrospect/detached/list", {});
  return isOngoing(knownDetached(captures).find((one) => one.name === name)?.state);
}
