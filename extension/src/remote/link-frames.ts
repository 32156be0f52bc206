// The data on the connection to a host: frames of a conversation that outlives it. The other side is crate
// `resumable-link`. No vscode in here.

/** Most bytes of the conversation in one frame. */
export const MAX_DATA_BYTES = 64 * 1024;
const VERSION = 1;
/** A byte for the kind, and the length of the rest. */
const HEAD_BYTES = 5;
const KINDS = { hello: 1, data: 2, received: 3, bye: 4 } as const;

/** Totals count bytes of the conversation, over any connection. */
export type LinkFrame =
  /** Comes first: how much its sender has received in all. */
  | { readonly kind: "hello"; readonly received: number }
  | { readonly kind: "data"; readonly bytes: Buffer }
  /** How much its sender has received in all: the other side need not keep that any longer. */
  | { readonly kind: "received"; readonly received: number }
  /** The conversation is over: neither side will reconnect. */
  | { readonly kind: "bye" };

/** The other side does not speak this protocol. */
export class ForeignFrame extends Error {
  override readonly name = "ForeignFrame";
}

/** Its bytes. Data are not longer than {@link MAX_DATA_BYTES}. */
export function encodeFrame(frame: LinkFrame): Buffer {
  switch (frame.kind) {
    case "hello":
      return framed(KINDS.hello, Buffer.concat([Buffer.of(VERSION), totalBytes(frame.received)]));
    case "data":
      return framed(KINDS.data, frame.bytes);
    case "received":
      return framed(KINDS.received, totalBytes(frame.received));
    case "bye":
      return framed(KINDS.bye, Buffer.alloc(0));
  }
}

/** Finds the frames in what a connection brings, in pieces of any length. */
export class FrameReader {
  /** The beginning of a frame. It is put together only when the frame is complete: connections bring small pieces. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** So many bytes have its head, or all of it. */
  #wanted = HEAD_BYTES;

  /**
   * The frames that are complete by now.
   * @throws {ForeignFrame} nothing can be read from that connection any more
   */
  feed(bytes: Buffer): LinkFrame[] {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < this.#wanted) return [];
    let rest = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces, this.#bytes);
    const frames: LinkFrame[] = [];
    this.#wanted = HEAD_BYTES;
    while (rest.length >= HEAD_BYTES) {
      const kind = rest.readUInt8(0);
      const end = HEAD_BYTES + checkedLength(kind, rest.readUInt32BE(1));
      if (rest.length < end) {
        this.#wanted = end;
        break;
      }
      frames.push(decoded(kind, rest.subarray(HEAD_BYTES, end)));
      rest = rest.subarray(end);
    }
    this.#pieces = [rest];
    this.#bytes = rest.length;
    return frames;
  }
}

function checkedLength(kind: number, length: number): number {
  const most = { [KINDS.hello]: 9, [KINDS.data]: MAX_DATA_BYTES, [KINDS.received]: 8, [KINDS.bye]: 0 }[kind];
  if (most === undefined || length > most || (kind !== KINDS.data && length !== most))
    throw new ForeignFrame(`a frame of kind ${String(kind)} and ${String(length)} bytes is none`);
  return length;
}

function decoded(kind: number, rest: Buffer): LinkFrame {
  switch (kind) {
    case KINDS.hello:
      if (rest[0] !== VERSION) throw new ForeignFrame(`the other side speaks version ${String(rest[0])} of this`);
      return { kind: "hello", received: total(rest.subarray(1)) };
    case KINDS.received:
      return { kind: "received", received: total(rest) };
    case KINDS.bye:
      return { kind: "bye" };
    default:
      return { kind: "data", bytes: rest };
  }
}

function total(bytes: Buffer): number {
  const value = Number(bytes.readBigUInt64BE());
  if (!Number.isSafeInteger(value)) throw new ForeignFrame("so many bytes were never sent");
  return value;
}

function totalBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function framed(kind: number, rest: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(kind);
  head.writeUInt32BE(rest.length, 1);
  return Buffer.concat([head, rest]);
}
