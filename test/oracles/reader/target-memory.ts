// Memory of another process, by process_vm_readv of libc called through koffi.
import koffi from "koffi";

/** Ranges in one system call; the kernel takes no more (IOV_MAX). */
const MAX_RANGES = 1024;
/** Bytes of one call: the kernel copies less than 2 GiB at once. */
const MAX_CALL_BYTES = 1 << 30;

const libc = koffi.load("libc.so.6");
const processVmReadv = libc.func(
  "int64_t process_vm_readv(int pid, const void *local, unsigned long local_count, const void *remote, unsigned long remote_count, unsigned long flags)",
);

export interface MemoryRange {
  address: number;
  bytes: number;
}

/** Addresses are numbers (user addresses have 47 bits), words are bigints. */
export class TargetMemory {
  constructor(readonly pid: number) {}

  read(address: number, bytes: number): Buffer {
    return this.readAll([{ address, bytes }])[0] ?? Buffer.alloc(0);
  }

  /** Each range in a buffer of its own; throws when one cannot be read whole. */
  readAll(ranges: readonly MemoryRange[]): Buffer[] {
    const total = ranges.reduce((sum, range) => sum + range.bytes, 0);
    const everything = Buffer.alloc(total);
    let done = 0;
    for (let first = 0; first < ranges.length;) {
      let bytes = 0;
      let next = first;
      while (
        next < ranges.length &&
        next - first < MAX_RANGES &&
        bytes + (ranges[next]?.bytes ?? 0) <= MAX_CALL_BYTES
      ) {
        bytes += ranges[next]?.bytes ?? 0;
        next += 1;
      }
      if (next === first) throw new Error(`a range of ${ranges[first]?.bytes} bytes is too long`);
      this.#call(ranges.slice(first, next), everything.subarray(done, done + bytes));
      done += bytes;
      first = next;
    }
    let offset = 0;
    return ranges.map(({ bytes }) => everything.subarray(offset, (offset += bytes)));
  }

  #call(ranges: readonly MemoryRange[], into: Buffer): void {
    if (into.length === 0) return;
    const local = new BigUint64Array([koffi.address(into), BigInt(into.length)]);
    const remote = new BigUint64Array(ranges.flatMap((range) => [BigInt(range.address), BigInt(range.bytes)]));
    const copied = Number(processVmReadv(this.pid, local, 1, remote, ranges.length, 0));
    if (copied !== into.length) {
      const why = copied < 0 ? `errno ${koffi.errno()}` : `${copied} of ${into.length} bytes`;
      throw new Error(`process ${this.pid}, ${hex(ranges[0]?.address ?? 0)}: ${why}`);
    }
  }

  word(address: number): bigint {
    return this.read(address, 8).readBigUInt64LE();
  }

  pointer(address: number): number {
    return toAddress(this.word(address));
  }

  u32(address: number): number {
    return this.read(address, 4).readUInt32LE();
  }

  words(address: number, count: number): bigint[] {
    return wordsOf(this.read(address, count * 8));
  }
}

export function wordsOf(bytes: Buffer): bigint[] {
  return Array.from({ length: Math.floor(bytes.length / 8) }, (_, index) => bytes.readBigUInt64LE(index * 8));
}

/** 0 for a word that can be no user address. */
export function toAddress(word: bigint): number {
  return word < 1n << 47n ? Number(word) : 0;
}

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
