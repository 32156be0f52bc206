import { constants, gunzipSync } from "node:zlib";
import { CaptureError } from "./capture-error.js";

/** Most bytes of profile that are read: hours of a busy machine. A file that inflates to more is refused before it fills the memory. */
export const MAX_PROFILE_BYTES = 1 << 30;

export interface Inflated {
  readonly message: Uint8Array;
  /** The last gzip member lacks its end. */
  readonly cut: boolean;
}

/**
 * The profile message in one or more gzip members, or in bytes that are not compressed.
 * `acceptCut`: a missing end is no error, as in a file whose writer was killed.
 */
export function inflate(bytes: Uint8Array, acceptCut: boolean, maxBytes = MAX_PROFILE_BYTES): Inflated {
  if (bytes.length === 0) throw new CaptureError("empty", "it is empty");
  if (bytes[0] !== 0x1f || (bytes.length > 1 && bytes[1] !== 0x8b)) {
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return { message: bytes, cut: false };
  }
  // Captures shrink to about a tenth. With one chunk for all, nothing is copied together in the end, and memory not written to costs nothing.
  const options = { maxOutputLength: maxBytes, chunkSize: Math.min(Math.max(bytes.length * 16, 1 << 14), 1 << 28, Math.max(maxBytes, 64)) };
  try {
    return { message: gunzipSync(bytes, options), cut: false };
  } catch (error) {
    if (!acceptCut || codeOf(error) !== "Z_BUF_ERROR") throw gzipProblem(error, maxBytes);
  }
  try {
    // Deflate gives back exactly what went in up to the cut, so what is there is good.
    return { message: gunzipSync(bytes, { ...options, finishFlush: constants.Z_SYNC_FLUSH }), cut: true };
  } catch (error) {
    throw gzipProblem(error, maxBytes);
  }
}

function gzipProblem(error: unknown, maxBytes: number): CaptureError {
  if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes);
  return new CaptureError("notGzip", `its compressed data are damaged (${error instanceof Error ? error.message : String(error)})`);
}

function tooLarge(maxBytes: number): CaptureError {
  return new CaptureError("tooLarge", `it holds more than ${maxBytes} bytes`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
