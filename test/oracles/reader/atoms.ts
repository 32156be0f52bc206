// Atom names.
import { EVERYWHERE as AT, type Offsets } from "./offsets.js";
import { type TargetMemory, toAddress, wordsOf } from "./target-memory.js";

const ATOM_TAG = 0xbn;
const SEGMENT_SLOTS = 1024;

/** All names, by index. */
export function readAtoms(memory: TargetMemory, table: number, offsets: Offsets): string[] {
  const count = memory.u32(table + AT.indexEntries);
  const segments = memory
    .words(memory.pointer(table + AT.indexSegments), Math.ceil(count / SEGMENT_SLOTS))
    .map(toAddress);
  const pointers = memory
    .readAll(segments.map((address) => ({ address, bytes: SEGMENT_SLOTS * 8 })))
    .flatMap(wordsOf)
    .slice(0, count)
    .map(toAddress);
  const heads = memory.readAll(pointers.map((address) => ({ address, bytes: AT.atomBytes })));
  const texts = heads.map((head, index) => {
    if (head.readUInt32LE(AT.atomIndex) !== index)
      throw new Error(`atom ${index} says it is ${head.readUInt32LE(AT.atomIndex)}`);
    const bytes = head.readInt16LE(AT.atomLength);
    const name = head.readBigUInt64LE(AT.atomName);
    if (offsets.atomName === "pointer") return { address: toAddress(name), bytes };
    // A boxed term: header, length in bits, then the bytes.
    const box = toAddress(name - 2n);
    const bits = memory.word(box + 8);
    if ((name & 3n) !== 2n || bits !== BigInt(bytes * 8))
      throw new Error(`the name of atom ${index} is no bitstring of ${bytes} bytes`);
    return { address: box + 16, bytes };
  });
  return memory.readAll(texts).map((text) => text.toString("utf8"));
}

export class Atoms {
  constructor(readonly names: readonly string[]) {}

  /** Name of an atom term; undefined when it is none. */
  of(term: bigint): string | undefined {
    return (term & 0x3fn) === ATOM_TAG ? this.names[Number(term >> 6n)] : undefined;
  }

  /** The same as the runtime prints it: quoted unless it is letters, digits, _ and @ only. */
  quoted(term: bigint): string {
    const name = this.of(term);
    if (name === undefined) return `not an atom: 0x${term.toString(16)}`;
    return /^\p{Ll}[\p{L}\p{N}_@]*$/u.test(name) ? name : `'${name.replace(/[\\']/g, "\\$&")}'`;
  }
}
