const FIRST_SLOTS = 1024;

/** So that no file can be made whose keys all want the same slot. */
const SEED = (Math.random() * 0xffffffff) | 0;

/** Numbers by byte strings that lie in one message: nearly every sample has a stack and labels seen before, and comparing their bytes costs less than decoding them. */
export class ByteKeys {
  readonly #bytes: DataView;
  /** Entry + 1; 0 is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  /** Four numbers for each entry: start, length, hash, value. */
  #entries = new Int32Array(FIRST_SLOTS * 2);
  #count = 0;
  /** Entry found last. */
  #last = 0;
  #slot = 0;
  #hash = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The number of the bytes from start to end, -1 when there is none. */
  find(start: number, end: number): number {
    const bytes = this.#bytes;
    const entries = this.#entries;
    const length = end - start;
    // Samples come sorted, so neighbours are often the same.
    const last = this.#last;
    if (entries[last + 1] === length && this.#count > 0 && areSame(bytes, start, entries[last] as number, length)) {
      entries[last] = start;
      return entries[last + 3] as number;
    }
    const hash = hashOf(bytes, start, end);
    let slot = hash & this.#mask;
    for (; ; slot = (slot + 1) & this.#mask) {
      const entry = ((this.#slots[slot] as number) - 1) * 4;
      if (entry < 0) break;
      if (entries[entry + 2] !== hash || entries[entry + 1] !== length || !areSame(bytes, start, entries[entry] as number, length)) continue;
      // The next one with these bytes will find them in the cache of the processor.
      entries[entry] = start;
      this.#last = entry;
      return entries[entry + 3] as number;
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

function hashOf(bytes: DataView, start: number, end: number): number {
  let hash = SEED ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ bytes.getInt32(at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes.getUint8(at), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

function areSame(bytes: DataView, one: number, other: number, length: number): boolean {
  let at = 0;
  for (; at + 4 <= length; at += 4) if (bytes.getInt32(one + at, true) !== bytes.getInt32(other + at, true)) return false;
  for (; at < length; at++) if (bytes.getUint8(one + at) !== bytes.getUint8(other + at)) return false;
  return true;
}
