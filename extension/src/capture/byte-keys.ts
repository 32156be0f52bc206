const FIRST_SLOTS = 1024;

/** So that no file can be made whose keys all want the same slot. */
const SEED = (Math.random() * 0xffffffff) | 0;

/** Numbers by byte strings that lie in one message: nearly every sample has a stack and labels seen before, and comparing their bytes costs less than decoding them. */
export class ByteKeys {
  readonly #bytes: Uint8Array;
  /** Entry + 1; 0 is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  /** Four numbers for each entry: start, length, hash, value. */
  #entries = new Int32Array(FIRST_SLOTS * 2);
  #count = 0;
  #slot = 0;
  #hash = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The number of the bytes from start to end, -1 when there is none. */
  find(start: number, end: number): number {
    const bytes = this.#bytes;
    const length = end - start;
    let hash = SEED ^ length;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      const word = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
      hash = Math.imul(hash ^ word, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    for (; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x85ebca6b);
    hash ^= hash >>> 13;
    let slot = hash & this.#mask;
    for (; ; slot = (slot + 1) & this.#mask) {
      const entry = ((this.#slots[slot] as number) - 1) * 4;
      if (entry < 0) break;
      if (this.#entries[entry + 2] !== hash || this.#entries[entry + 1] !== length) continue;
      const other = this.#entries[entry] as number;
      let same = 0;
      while (same < length && bytes[start + same] === bytes[other + same]) same++;
      if (same === length) return this.#entries[entry + 3] as number;
    }
    this.#slot = slot;
    this.#hash = hash;
    return -1;
  }

  /** Sets the number of the bytes that `find` has just not found. */
  addMissed(start: number, end: number, value: number): void {
    const entry = this.#count * 4;
    if (entry === this.#entries.length) {
      const larger = new Int32Array(entry * 2);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries[entry] = start;
    this.#entries[entry + 1] = end - start;
    this.#entries[entry + 2] = this.#hash;
    this.#entries[entry + 3] = value;
    this.#slots[this.#slot] = ++this.#count;
    if (this.#count * 2 > this.#mask) this.#grow();
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    this.#mask = slots.length - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      let slot = (this.#entries[entry * 4 + 2] as number) & this.#mask;
      while (slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}
