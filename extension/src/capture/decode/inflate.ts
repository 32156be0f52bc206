import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { constants, gunzip, gunzipSync } from "node:zlib";
import { CaptureError } from "../capture-error.js";
import { MAX_CAPTURE_BYTES, MAX_MEMBER_BYTES, MAX_MESSAGE_BYTES } from "../limits.generated.js";

export interface Inflated {
  readonly message: Uint8Array;
  /** The last gzip member lacks its end. */
  readonly cut: boolean;
}

/**
 * The profile message in one or more gzip members, or in bytes that are not compressed.
 * `acceptCut`: a missing end is no error, as in a file whose writer was killed.
 */
export function inflate(bytes: Uint8Array, acceptCut: boolean, maxBytes = MAX_MESSAGE_BYTES): Inflated {
  if (bytes.length === 0) throw new CaptureError("empty", "it is empty");
  if (bytes[0] !== 0x1f || (bytes.length > 1 && bytes[1] !== 0x8b)) {
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return { message: bytes, cut: false };
  }
  // Captures shrink to about a tenth. With one chunk for all, nothing is copied together in the end, and memory not written to costs nothing.
  const options = {
    maxOutputLength: maxBytes,
    chunkSize: Math.min(Math.max(bytes.length * 16, 1 << 14), 1 << 28, Math.max(maxBytes, 64)),
  };
  try {
    return { message: gunzipSync(bytes, options), cut: false };
  } catch (error) {
    if (!acceptCut || codeOf(error) !== "Z_BUF_ERROR") throw gzipProblem(error, maxBytes);
  }
  try {
    // Deflate returns the exact input up to the cut, so the data before it is good.
    return { message: gunzipSync(bytes, { ...options, finishFlush: constants.Z_SYNC_FLUSH }), cut: true };
  } catch (error) {
    throw gzipProblem(error, maxBytes);
  }
}

/** Header of a gzip member without a name: what begins each part of a capture. */
const MEMBER_HEADER_BYTES = 10;
/** Inflated ahead of the one that is read; the thread pool of Node.js has four threads. */
const MEMBERS_AHEAD = 4;
/** A message from which on it is worth the trouble to let go of it at once. */
const LARGE_BYTES = 1 << 18;
const inflateOne = promisify(gunzip);

/**
 * The gzip members of a file one by one, inflated on other threads while the one before is read. Where a member ends is
 * a guess (what looks like the next one may be data): then a member is no gzip and inflating it fails. A message is
 * valid until the next one is requested. The last one may lack its end; behind `maxBytes` the file counts as cut.
 * Throws what `inflate` throws, or an error of zlib.
 */
export async function* inflatedMembers(bytes: Uint8Array, maxBytes = MAX_CAPTURE_BYTES): AsyncGenerator<Inflated> {
  const starts = memberStarts(bytes);
  const member = (index: number) => bytes.subarray(starts[index], starts[index + 1]);
  const options = (part: Uint8Array) => ({
    maxOutputLength: MAX_MEMBER_BYTES,
    chunkSize: Math.max(part.length * 16, 1 << 14),
  });
  const ahead: Promise<Uint8Array>[] = [];
  const whole = starts.length - 1;
  let total = 0;
  for (let index = 0; index < whole; index++) {
    while (ahead.length < MEMBERS_AHEAD && index + ahead.length < whole) {
      const part = member(index + ahead.length);
      const begun = inflateOne(part, options(part));
      // Its failure is reported when it is awaited, or not at all when one before it fails.
      begun.catch(() => {});
      ahead.push(begun);
    }
    const message = await (ahead.shift() as Promise<Uint8Array>);
    total += message.length;
    if (total > maxBytes) {
      yield { message: new Uint8Array(), cut: true };
      return;
    }
    yield { message, cut: false };
    if (message.length >= LARGE_BYTES) letGo(message);
  }
  yield inflate(member(whole), true);
}

/**
 * Frees the memory of a message now: a collector would run only after dozens of them. A buffer sent to a port whose
 * other end is closed is moved out of here and freed.
 */
function letGo({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer)) return;
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(null, [buffer]);
  port1.close();
}

/** How many of these bytes, which begin with a member, are members with their end; 0 when they end in the middle of the first. Throws `CaptureError` when they are none. */
export function wholeMembersIn(bytes: Uint8Array): number {
  if (bytes.length === 0) return 0;
  if (!inflate(bytes, true).cut) return bytes.length;
  const last = memberStarts(bytes).at(-1) ?? 0;
  // Where the last one begins is a guess.
  return last > 0 && !inflate(bytes.subarray(0, last), true).cut ? last : 0;
}

/** Where the header of the first member is found again. */
function memberStarts(bytes: Uint8Array): number[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = [0];
  if (file[0] !== 0x1f || file[1] !== 0x8b || file.length < MEMBER_HEADER_BYTES) return starts;
  const header = file.subarray(0, MEMBER_HEADER_BYTES);
  for (let at = file.indexOf(header, 1); at > 0; at = file.indexOf(header, at + 1)) starts.push(at);
  return starts;
}

function gzipProblem(error: unknown, maxBytes: number): CaptureError {
  if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes);
  return new CaptureError(
    "notGzip",
    `its compressed data are damaged (${error instanceof Error ? error.message : String(error)})`,
  );
}

function tooLarge(maxBytes: number): CaptureError {
  return new CaptureError("tooLarge", `it holds more than ${maxBytes} bytes`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
