// Goes through a profile message piece by piece, however long it is, and keeps only what describes the capture: its
// comments, when it began and how long it is. Every byte is read once, whatever the pieces are and whatever lengths a
// file claims, and the memory is bounded.

import { CaptureError } from "../capture-error.js";
import { MAX_COMMENT_BYTES, MAX_COMMENTS } from "../limits.generated.js";
import { FILE_END } from "./file-end.js";
import { kindOfComment, lastOfEach, LONGEST_KIND } from "./profile-comments.js";

const FIELD = { string: 6, timeNanos: 9, durationNanos: 10, comment: 13 } as const;
const OUR_COMMENT = new TextEncoder().encode("extrospect/");
/** A tag and a number, or a length: neither is longer than ten bytes. */
const LONGEST_HEAD = 20;
const LONGEST_VARINT = 10;
/** Characters of all texts; beyond them the newest of each kind is kept. */
export const MOST_KEPT = 16 * 1024 * 1024;

/** The facts of a message after all its pieces. */
export interface ProfileScan {
  /** Strings in its table: the index of the next one. */
  readonly strings: number;
  /** The comments that Extrospect wrote, in their order, each once. */
  readonly comments: readonly string[];
  /** Nanoseconds; -1 when absent. */
  readonly timeNanos: number;
  readonly durationNanos: number;
  /** The last end mark; 0 when absent. */
  readonly fileEnd: number;
  /** It ends between two fields. */
  readonly isWhole: boolean;
}

interface Head {
  readonly field: number;
  readonly type: number;
  /** Of a number; of bytes their length. */
  readonly value: number;
  readonly end: number;
}

/** What becomes of the content of the field that the scanner is in. */
type Content = "skipped" | "string" | "text" | "packed";

export class ProfileScanner {
  /** The beginning of a field whose tag or length is not here as a whole. */
  readonly #head = new Uint8Array(LONGEST_HEAD);
  #headBytes = 0;
  #content: Content = "skipped";
  #isString = false;
  /** Bytes of the content, and those of them that are still to come. */
  #length = 0;
  #left = 0;
  /** Of a text that comes in pieces. */
  #text = new Uint8Array(0);
  #textBytes = 0;
  /** Of packed numbers, the one whose last byte is still to come. */
  #packed = { value: 0, scale: 1, bytes: 0 };
  #strings = 0;
  #timeNanos = -1;
  #durationNanos = -1;
  #fileEnd = 0;
  #copied = 0;
  #kept = 0;
  readonly #texts = new Map<number, { readonly kind: string; readonly text: string }>();
  readonly #comments: number[] = [];
  readonly #decoder = new TextDecoder();

  /** The work that pieces cause: bytes that had to be copied since they came in several. */
  get copiedBytes(): number {
    return this.#copied;
  }

  /** Characters of texts that are kept. */
  get keptCharacters(): number {
    return this.#kept;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) at = this.#take(chunk, at);
      else if (this.#headBytes > 0) at = this.#goOn(chunk, at);
      else {
        const head = headIn(chunk, at, chunk.length);
        if (head === undefined) return this.#keepHead(chunk.subarray(at));
        at = head.end;
        this.#begin(head);
      }
    }
  }

  result(): ProfileScan {
    return {
      strings: this.#strings,
      comments: lastOfEach(this.#comments).flatMap((index) => this.#texts.get(index)?.text ?? []),
      timeNanos: this.#timeNanos,
      durationNanos: this.#durationNanos,
      fileEnd: this.#fileEnd,
      isWhole: this.#headBytes === 0 && this.#left === 0,
    };
  }

  #keepHead(bytes: Uint8Array): void {
    this.#head.set(bytes, this.#headBytes);
    this.#headBytes += bytes.length;
    this.#copied += bytes.length;
  }

  /** @returns where the content begins, or the end */
  #goOn(chunk: Uint8Array, from: number): number {
    const before = this.#headBytes;
    this.#keepHead(chunk.subarray(from, from + LONGEST_HEAD - before));
    const head = headIn(this.#head, 0, this.#headBytes);
    if (head === undefined) return chunk.length;
    this.#headBytes = 0;
    this.#begin(head);
    return from + head.end - before;
  }

  #begin({ field, type, value }: Head): void {
    if (type === 0) return this.#number(field, value);
    this.#isString = type === 2 && field === FIELD.string;
    this.#length = this.#left = value;
    this.#textBytes = 0;
    const mayBeText = this.#isString && value > OUR_COMMENT.length && value <= MAX_COMMENT_BYTES;
    const isPacked = type === 2 && field === FIELD.comment;
    this.#content = mayBeText ? "string" : isPacked ? "packed" : "skipped";
    if (value === 0) this.#end();
  }

  /** Takes as much of the content as there is. @returns where it ends */
  #take(chunk: Uint8Array, from: number): number {
    const end = Math.min(from + this.#left, chunk.length);
    if (this.#content === "packed") this.#numbers(chunk, from, end);
    else if (this.#content !== "skipped") this.#characters(chunk, from, end);
    this.#left -= end - from;
    if (this.#left === 0) this.#end();
    return end;
  }

  #characters(chunk: Uint8Array, from: number, end: number): void {
    let at = from;
    if (this.#content === "string") {
      // Any other beginning is not a comment of Extrospect, and none of it is kept.
      for (; at < end && this.#textBytes < OUR_COMMENT.length; at++, this.#textBytes++)
        if (chunk[at] !== OUR_COMMENT[this.#textBytes]) {
          this.#content = "skipped";
          return;
        }
      if (at === end) return;
      if (end - from === this.#length) return this.#textEnds(chunk.subarray(from, end));
      this.#text = new Uint8Array(this.#length);
      this.#text.set(OUR_COMMENT);
      this.#content = "text";
    }
    this.#text.set(chunk.subarray(at, end), this.#textBytes);
    this.#textBytes += end - at;
    this.#copied += end - at;
    if (this.#textBytes < this.#length) return;
    this.#textEnds(this.#text);
    this.#text = new Uint8Array(0);
  }

  #textEnds(bytes: Uint8Array): void {
    const kind = kindOfComment(this.#decoder.decode(bytes.subarray(0, LONGEST_KIND)));
    if (kind === undefined) return;
    const text = this.#decoder.decode(bytes);
    this.#texts.set(this.#strings, { kind, text });
    this.#kept += text.length;
    if (this.#kept > MOST_KEPT) this.#keepNewest();
  }

  /** Of a kind the last one counts. */
  #keepNewest(): void {
    const newest = new Map([...this.#texts].map(([index, { kind }]) => [kind, index]));
    const indices = new Set(newest.values());
    for (const [index, { text }] of this.#texts) {
      if (indices.has(index)) continue;
      this.#texts.delete(index);
      this.#kept -= text.length;
    }
  }

  #end(): void {
    if (this.#isString) this.#strings += 1;
    this.#isString = false;
    if (this.#content === "packed" && this.#packed.bytes > 0) throw noProfile();
    this.#content = "skipped";
  }

  #number(field: number, value: number): void {
    if (field === FIELD.timeNanos) this.#timeNanos = value;
    else if (field === FIELD.durationNanos) this.#durationNanos = value;
    else if (field === FILE_END) this.#fileEnd = value;
    else if (field === FIELD.comment) this.#comment(value);
  }

  #numbers(chunk: Uint8Array, from: number, end: number): void {
    const packed = this.#packed;
    for (let at = from; at < end; at++) {
      const byte = chunk[at] as number;
      packed.value += (byte & 0x7f) * packed.scale;
      packed.scale *= 128;
      packed.bytes += 1;
      if (byte < 0x80) {
        this.#comment(packed.value);
        Object.assign(packed, { value: 0, scale: 1, bytes: 0 });
      } else if (packed.bytes >= LONGEST_VARINT) throw noProfile();
    }
  }

  #comment(index: number): void {
    // The last ones count.
    if (this.#comments.length >= MAX_COMMENTS) this.#comments.splice(0, MAX_COMMENTS / 2);
    this.#comments.push(index);
  }
}

/** The tag of a field with its number or length; undefined when it is not here as a whole. */
function headIn(bytes: Uint8Array, from: number, end: number): Head | undefined {
  const tag = varint(bytes, from, end);
  if (tag === undefined) return undefined;
  const [field, type] = [Math.floor(tag.value / 8), tag.value % 8];
  if (field === 0) throw noProfile();
  if (type === 1 || type === 5) return { field, type, value: type === 1 ? 8 : 4, end: tag.end };
  if (type !== 0 && type !== 2) throw noProfile();
  const number = varint(bytes, tag.end, end);
  return number && { field, type, value: number.value, end: number.end };
}

/** Undefined when it is not here as a whole. */
function varint(bytes: Uint8Array, from: number, end: number): { value: number; end: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: at + 1 };
    if (at - from >= LONGEST_VARINT - 1) throw noProfile();
    scale *= 128;
  }
  return undefined;
}

function noProfile(): CaptureError {
  return new CaptureError("notAProfile", "it is no pprof profile");
}
