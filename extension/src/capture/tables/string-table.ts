import { noSuch, tooMany } from "../capture-error.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import { MAX_STRING_BYTES, MAX_STRINGS } from "../limits.generated.js";

export interface StringTableParts {
  readonly bytes: Uint8Array;
  readonly ends: NumbersParts;
}

/**
 * The strings of a capture as the bytes of the file, end to end. A string becomes text at its first use: few are ever
 * used (the names of a million processes are not).
 */
export class StringTable {
  #bytes: Uint8Array;
  readonly #ends: GrowingNumbers;
  readonly #texts = new Map<number, string>();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(parts?: StringTableParts) {
    this.#bytes = parts?.bytes ?? new Uint8Array(1 << 16);
    this.#ends = new GrowingNumbers(parts?.ends);
  }

  parts(): StringTableParts {
    return { bytes: this.#bytes, ends: this.#ends };
  }

  get size(): number {
    return this.#ends.length;
  }

  push(message: Uint8Array, start: number, end: number): void {
    const from = this.#start(this.#ends.length);
    const to = from + (end - start);
    if (to > MAX_STRING_BYTES) throw tooMany("bytes of strings", MAX_STRING_BYTES);
    // An empty string takes two bytes in the file and four here, so their number needs a bound of its own.
    if (this.#ends.length >= MAX_STRINGS) throw tooMany("strings", MAX_STRINGS);
    if (to > this.#bytes.length) this.#grow(to);
    if (end - start < 32) {
      for (let at = start, into = from; at < end; at++, into++) this.#bytes[into] = message[at] as number;
    } else {
      this.#bytes.set(message.subarray(start, end), from);
    }
    this.#ends.push(to);
  }

  /** Throws when there is no such string. */
  check(index: number): void {
    if (index >= this.#ends.length) throw noSuch("string", index);
  }

  /** The text of an index of the file. Invalid UTF-8 shows as U+FFFD. */
  text(index: number): string {
    if (index === 0 && this.#ends.length > 0) return "";
    this.check(index);
    let text = this.#texts.get(index);
    if (text === undefined) {
      text = this.#decoder.decode(this.#bytes.subarray(this.#start(index), this.#ends.at(index)));
      this.#texts.set(index, text);
    }
    return text;
  }

  cutTo(size: number): void {
    if (size === this.size) return;
    this.#ends.cutTo(size);
    for (const index of this.#texts.keys()) if (index >= size) this.#texts.delete(index);
  }

  #start(index: number): number {
    return index === 0 ? 0 : this.#ends.at(index - 1);
  }

  #grow(length: number): void {
    const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
