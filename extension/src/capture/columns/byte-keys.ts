const FIRST_SLOTS = 1024;

/** So that no file can be made whose keys all want the same slot. */
const SEED = (Math.random() * 0xffffffff) | 0;

/**
 * Numbers by byte strings of the messages of one capture: nearly every sample has a stack and labels seen before, and comparing their bytes costs
 * less than decoding them. Ids and string indices mean the same in all messages, so what one has taught holds for the next.
 */
export class ByteKeys {
  /** The message that is read. */
  #bytes: DataView = new DataView(new ArrayBuffer(0));
  /** Copies of the keys, one after the other. */
  #keys = new Uint8Array(FIRST_SLOTS);
  #keysView = new DataView(this.#keys.buffer);
  #keysEnd = 0;
  /** Entry + 1; 0 is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  /** Four numbers for each entry: start in `#keys`, length, hash, value. */
  #entries = new Int32Array(FIRST_SLOTS * 2);
  #count = 0;
  /** Entry found last. */
  #last = 0;
  #slot = 0;
  #hash = 0;

  /** Positions are those of this message from now on. */
  readFrom(message: Uint8Array): void {
    this.#bytes = new DataView(message.buffer, message.byteOffset, message.byteLength);
  }

  /** The number of the bytes from start to end, -1 when there is none. */
  find(start: number, end: number): number {
    const bytes = this.#bytes;
    const keys = this.#keysView;
    const entries = this.#entries;
    const length = end - start;
    // Samples come sorted, so neighbours are often the same.
    const last = this.#last;
    if (entries[last + 1] === length && this.#count > 0 && areSame(bytes, start, keys, entries[last] as number, length)) return entries[last + 3] as number;
    const hash = hashOf(bytes, start, end);
    let slot = hash & this.#mask;
    for (; ; slot = (slot + 1) & this.#mask) {
      const entry = ((this.#slots[slot] as number) - 1) * 4;
      if (entry < 0) break;
      if (entries[entry + 2] !== hash || entries[entry + 1] !== length || !areSame(bytes, start, keys, entries[entry] as number, length)) continue;
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
    this.#entries[entry] = this.#keep(start, end);
    this.#entries[entry + 1] = end - start;
    this.#entries[entry + 2] = this.#hash;
    this.#entries[entry + 3] = value;
    this.#slots[this.#slot] = ++this.#count;
    if (this.#count * 2 > this.#mask) this.#grow();
  }

  /** Copies a key; the message may be gone when it is looked for again. */
  #keep(start: number, end: number): number {
    const at = this.#keysEnd;
    this.#keysEnd += end - start;
    if (this.#keysEnd > this.#keys.length) {
      const larger = new Uint8Array(Math.max(this.#keysEnd, this.#keys.length * 2));
      larger.set(this.#keys);
      this.#keys = larger;
      this.#keysView = new DataView(larger.buffer);
    }
    const { buffer, byteOffset } = this.#bytes;
    this.#keys.set(new Uint8Array(buffer, byteOffset + start, end - start), at);
    return at;
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

function areSame(one: DataView, oneAt: number, other: DataView, otherAt: number, length: number): boolean {
  let at = 0;
  for (; at + 4 <= length; at += 4) if (one.getInt32(oneAt + at, true) !== other.getInt32(otherAt + at, true)) return false;
  for (; at < length; at++) if (one.getUint8(oneAt + at) !== other.getUint8(otherAt + at)) return false;
  return true;
}
