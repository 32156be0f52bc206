// Goes through a profile message piece by piece, however long it is, and keeps only what describes the capture: its comments, when it began and how long it is.

import { CaptureError } from "../capture-error.js";
import { MAX_COMMENT_BYTES, MAX_COMMENTS } from "../limits.generated.js";

const FIELD = { string: 6, timeNanos: 9, durationNanos: 10, comment: 13 } as const;
const OUR_COMMENT = "extrospect/";

/** What is known of a message after all its pieces. */
export interface ProfileScan {
  /** Strings in its table: the index of the next one. */
  readonly strings: number;
  /** Those of ours, in their order. */
  readonly comments: readonly string[];
  /** Nanoseconds; -1 when it does not say. */
  readonly timeNanos: number;
  readonly durationNanos: number;
  /** It ends between two fields. */
  readonly isWhole: boolean;
}

export class ProfileScanner {
  /** Bytes of a field that is not here yet as a whole. */
  #rest: Uint8Array = new Uint8Array(0);
  /** Bytes of a field that are passed over when they come. */
  #skipped = 0;
  #strings = 0;
  #timeNanos = -1;
  #durationNanos = -1;
  readonly #texts = new Map<number, string>();
  readonly #comments: number[] = [];

  push(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#skipped > 0) {
      const passed = Math.min(this.#skipped, bytes.length);
      this.#skipped -= passed;
      bytes = bytes.subarray(passed);
    }
    if (this.#rest.length > 0) bytes = Buffer.concat([this.#rest, bytes]);
    const end = this.#read(bytes);
    this.#rest = bytes.subarray(end);
  }

  result(): ProfileScan {
    const comments = this.#comments.flatMap((index) => this.#texts.get(index) ?? []);
    return { strings: this.#strings, comments, timeNanos: this.#timeNanos, durationNanos: this.#durationNanos, isWhole: this.#rest.length === 0 && this.#skipped === 0 };
  }

  /** @returns where the first field begins that is not here as a whole */
  #read(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length) {
      const tag = varint(bytes, at);
      if (tag === undefined) return at;
      const [field, type] = [Math.floor(tag.value / 8), tag.value % 8];
      if (field === 0) throw noProfile();
      if (type === 1 || type === 5) {
        const length = type === 1 ? 8 : 4;
        if (tag.end + length > bytes.length) return at;
        at = tag.end + length;
        continue;
      }
      if (type !== 0 && type !== 2) throw noProfile();
      const value = varint(bytes, tag.end);
      if (value === undefined) return at;
      if (type === 0) {
        this.#number(field, value.value);
        at = value.end;
        continue;
      }
      const end = value.end + value.value;
      const isRead = field === FIELD.comment || (field === FIELD.string && value.value <= MAX_COMMENT_BYTES);
      if (end > bytes.length && isRead) return at;
      if (field === FIELD.string) this.#string(bytes.subarray(value.end, Math.min(end, bytes.length)));
      else if (field === FIELD.comment) this.#packed(bytes.subarray(value.end, end));
      if (end > bytes.length) {
        this.#skipped = end - bytes.length;
        return bytes.length;
      }
      at = end;
    }
    return at;
  }

  #number(field: number, value: number): void {
    if (field === FIELD.timeNanos) this.#timeNanos = value;
    else if (field === FIELD.durationNanos) this.#durationNanos = value;
    else if (field === FIELD.comment) this.#comment(value);
  }

  #string(bytes: Uint8Array): void {
    if (bytes.length > OUR_COMMENT.length && bytes.length <= MAX_COMMENT_BYTES && startsAsOurs(bytes)) this.#texts.set(this.#strings, new TextDecoder().decode(bytes));
    this.#strings += 1;
  }

  #packed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const index = varint(bytes, at);
      if (index === undefined) throw noProfile();
      this.#comment(index.value);
      at = index.end;
    }
  }

  #comment(index: number): void {
    // The last ones count.
    if (this.#comments.length >= MAX_COMMENTS) this.#comments.splice(0, MAX_COMMENTS / 2);
    this.#comments.push(index);
  }
}

/** Undefined when it is not here as a whole. */
function varint(bytes: Uint8Array, from: number): { value: number; end: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: at + 1 };
    if (at - from >= 9) throw noProfile();
    scale *= 128;
  }
  return undefined;
}

function startsAsOurs(bytes: Uint8Array): boolean {
  for (let at = 0; at < OUR_COMMENT.length; at++) if (bytes[at] !== OUR_COMMENT.charCodeAt(at)) return false;
  return true;
}

function noProfile(): CaptureError {
  return new CaptureError("notAProfile", "it is no pprof profile");
}
