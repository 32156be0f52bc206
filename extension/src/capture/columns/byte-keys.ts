const FIRST_KEY_BYTES = 1 << 16;
const FIRST_SLOTS = 1024;
/** Numbers of a slot, so that one look at memory decides: where the key starts in `#keys`, its length, its hash, its value + 1. 0 for a value is a free slot. */
const SLOT = 4;
const LENGTH = 1;
const HASH = 2;
const VALUE = 3;

/** More bytes of keys are not kept: a capture of which every stack is another one gains nothing by them. */
const MOST_KEY_BYTES = 1 << 24;

/** How many slots are looked at for one key. Half of them are free, so few keys need more than some, unless a file is made of keys that all want the same one. */
const MOST_LOOKS = 256;

/** So that it takes some trouble to make such a file. */
const SEED = (Math.random() * 0xffffffff) | 0;

/**
 * Numbers by byte strings of the messages of one capture: nearly every sample has a stack and labels seen before, and comparing their bytes costs
 * less than decoding them. Ids and string indices mean the same in all messages, so what one has taught holds for the next.
 * It only saves work: a key for which there is no room nearby is not kept, and not found the next time.
 */
export class ByteKeys {
  /** The message that is read. */
  #bytes: DataView = new DataView(new ArrayBuffer(0));
  /** Copies of the keys, one after the other. */
  #keys = new Uint8Array(FIRST_KEY_BYTES);
  #keysView = new DataView(this.#keys.buffer);
  #keysEnd = 0;
  #slots = new Int32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;
  #count = 0;
  /** Where in `#slots` the key found last is. */
  #last = 0;
  /** Where in `#slots` there is room for the key that was not found last, -1 for nowhere, and its hash. */
  #free = -1;
  #hash = 0;

  /** Positions are those of this message from now on. */
  readFrom(message: Uint8Array): void {
    this.#bytes = new DataView(message.buffer, message.byteOffset, message.byteLength);
  }

  /** The number of the bytes from start to end, -1 when there is none. */
  find(start: number, end: number): number {
    const bytes = this.#bytes;
    const keys = this.#keysView;
    const slots = this.#slots;
    const length = end - start;
    // Samples come sorted, so neighbours are often the same.
    const last = this.#last;
    if (
      slots[last + LENGTH] === length &&
      slots[last + VALUE] !== 0 &&
      areSame(bytes, start, keys, slots[last] as number, length)
    )
      return (slots[last + VALUE] as number) - 1;
    const hash = hashOf(bytes, start, end);
    const mask = this.#mask;
    this.#free = -1;
    this.#hash = hash;
    for (let looks = 0, slot = hash & mask; looks < MOST_LOOKS; looks++, slot = (slot + 1) & mask) {
      const at = slot * SLOT;
      const value = slots[at + VALUE] as number;
      if (value === 0) {
        this.#free = at;
        break;
      }
      if (
        slots[at + HASH] !== hash ||
        slots[at + LENGTH] !== length ||
        !areSame(bytes, start, keys, slots[at] as number, length)
      )
        continue;
      this.#last = at;
      return value - 1;
    }
    return -1;
  }

  /** Sets the number of the bytes that `find` has just not found. */
  addMissed(start: number, end: number, value: number): void {
    const at = this.#free;
    if (at < 0 || this.#keysEnd + end - start > MOST_KEY_BYTES) return;
    this.#slots[at] = this.#keep(start, end);
    this.#slots[at + LENGTH] = end - start;
    this.#slots[at + HASH] = this.#hash;
    this.#slots[at + VALUE] = value + 1;
    if (++this.#count * 2 > this.#mask) this.#grow();
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
    copy(this.#bytes, start, this.#keysView, at, end - start);
    return at;
  }

  #grow(): void {
    const before = this.#slots;
    const slots = new Int32Array(before.length * 2);
    const mask = slots.length / SLOT - 1;
    for (let from = 0; from < before.length; from += SLOT) {
      if (before[from + VALUE] === 0) continue;
      let slot = (before[from + HASH] as number) & mask;
      while (slots[slot * SLOT + VALUE] !== 0) slot = (slot + 1) & mask;
      for (let number = 0; number < SLOT; number++) slots[slot * SLOT + number] = before[from + number] as number;
    }
    this.#slots = slots;
    this.#mask = mask;
    this.#last = 0;
  }
}

/** Two sums side by side, which the processor works out at once. The last words may overlap those before them. */
function hashOf(bytes: DataView, start: number, end: number): number {
  let one = SEED ^ (end - start);
  let other = ~SEED;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    one = Math.imul(one ^ bytes.getInt32(at, true), 0x9e3779b1);
    other = Math.imul(other ^ bytes.getInt32(at + 4, true), 0x85ebca6b);
    one ^= one >>> 15;
    other ^= other >>> 13;
  }
  if (end - start >= 8) {
    one ^= bytes.getInt32(end - 8, true);
    other ^= bytes.getInt32(end - 4, true);
  } else for (; at < end; at++) one = Math.imul(one ^ bytes.getUint8(at), 0x9e3779b1);
  const hash = Math.imul(one, 0x2c1b3c6d) ^ Math.imul(other ^ (one >>> 16), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

function areSame(one: DataView, oneAt: number, other: DataView, otherAt: number, length: number): boolean {
  let at = 0;
  for (; at + 4 <= length; at += 4)
    if (one.getInt32(oneAt + at, true) !== other.getInt32(otherAt + at, true)) return false;
  for (; at < length; at++) if (one.getUint8(oneAt + at) !== other.getUint8(otherAt + at)) return false;
  return true;
}

/** Keys are short: calling for each would cost more than this. */
function copy(from: DataView, fromAt: number, to: DataView, toAt: number, length: number): void {
  let at = 0;
  for (; at + 4 <= length; at += 4) to.setInt32(toAt + at, from.getInt32(fromAt + at, true), true);
  for (; at < length; at++) to.setUint8(toAt + at, from.getUint8(fromAt + at));
}
