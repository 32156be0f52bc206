// The facts in a capture file, without reading its samples; and members with further facts, to be appended to it.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip, gzipSync } from "node:zlib";
import { PbfWriter } from "pbf";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import { CaptureError } from "./capture-error.js";
import { MAX_CAPTURE_BYTES } from "./limits.generated.js";
import {
  CLOCK_COMMENT,
  ORIGIN_COMMENT,
  PLACE_COMMENT,
  readComments,
  USER_COMMENT,
  type CommentFacts,
} from "./decode/profile-comments.js";
import { withMissingEnd } from "./decode/file-end.js";
import { ProfileScanner } from "./decode/profile-scan.js";
import type { ClockFacts, UserFacts } from "./questions.js";

export interface ScannedCapture extends CommentFacts {
  /** Milliseconds since 1970; 0 when unknown. */
  readonly startedUnixMs: number;
  readonly durationMs: number;
  /** Strings in its table. */
  readonly strings: number;
  /** Bytes of the file that were read. */
  readonly fileBytes: number;
  readonly isCut: boolean;
}

/** Reads a file beside the caller's thread, in bounded memory. @throws {CaptureError} when it is none; another error when it cannot be read */
export async function scanCapture(path: string): Promise<ScannedCapture> {
  const isCompressed = await startsAsGzip(path);
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  const scanner = new ProfileScanner();
  let bytes = 0;
  let isCut = false;
  let fileBytes = 0;
  file.on("data", (chunk) => {
    fileBytes += chunk.length;
  });
  const message = isCompressed ? file.pipe(createGunzip()) : file;
  file.once("error", (error) => message.destroy(error));
  try {
    for await (const chunk of message as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > MAX_CAPTURE_BYTES)
        throw new CaptureError("tooLarge", `it holds more than ${MAX_CAPTURE_BYTES} bytes`);
      scanner.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR")) throw error;
    isCut = true;
  } finally {
    file.destroy();
    message.destroy();
  }
  if (bytes === 0) throw new CaptureError("empty", "it is empty");
  const { strings, comments, timeNanos, durationNanos, fileEnd, isWhole } = scanner.result();
  if (strings === 0) throw new CaptureError("notAProfile", "it has no string table");
  const facts = readComments(comments);
  const times = {
    startedUnixMs: timeNanos > 0 ? Math.floor(timeNanos / 1e6) : (facts.settings?.startedUnixMs ?? 0),
    durationMs: durationNanos > 0 ? Math.round(durationNanos / 1e6) : 0,
    isCut: isCut || !isWhole,
  };
  return {
    ...facts,
    ...(facts.quality && { quality: withMissingEnd(facts.quality, { ...times, fileEnd }) }),
    ...times,
    strings,
    fileBytes,
  };
}

/** A member with the commit of the capture. @param strings in the table of the file it is appended to */
export function originMember(strings: number, origin: OriginFacts): Uint8Array {
  return commentMember(strings, ORIGIN_COMMENT + JSON.stringify(origin));
}

/** A member with the user's note, tags and pin. @param strings in the table of the file it is appended to */
export function userMember(strings: number, user: UserFacts): Uint8Array {
  return commentMember(strings, USER_COMMENT + JSON.stringify(user));
}

/** A member with how far the clock was ahead. @param strings in the table of the file it is appended to */
export function clockMember(strings: number, { aheadMs, aheadAtEndMs }: ClockFacts): Uint8Array {
  return commentMember(strings, CLOCK_COMMENT + JSON.stringify({ ahead_ms: aheadMs, ahead_at_end_ms: aheadAtEndMs }));
}

/**
 * A member that marks the capture as taken on another host.
 * @param strings in the table of the file it is appended to
 */
export function elsewhereMember(strings: number): Uint8Array {
  return commentMember(strings, PLACE_COMMENT + JSON.stringify({ elsewhere: true }));
}

/** Messages of protobuf and members of gzip may be concatenated: the new string is the next one of the table. */
function commentMember(strings: number, comment: string): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeStringField(6, comment);
  pbf.writePackedVarint(13, [strings]);
  return gzipSync(pbf.finish());
}

async function startsAsGzip(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
