// The parts of a VM's memory that the walk of one process's stack needs, as pieces that can be kept.
import { u64 } from "./decoder-library.js";
import { EVERYWHERE as AT } from "./reader/offsets.js";
import type { ErlangProcess, ErlangStack } from "./reader/processes.js";
import { toAddress } from "./reader/target-memory.js";
import type { VmReading } from "./reader/vm.js";

/** The longest call instruction, with room. */
const BYTES_BEFORE_RETURN = 8;

interface Piece {
  address: number;
  bytes: Buffer;
}

/** The blobs of the JIT's list, newest first, and the entries that hold them. */
export function jitEntries({ memory, tables }: VmReading): { entry: Piece; blob: Piece }[] {
  const entries: { entry: Piece; blob: Piece }[] = [];
  for (let address = memory.pointer(tables.descriptor + 16); address !== 0;) {
    const bytes = memory.read(address, 32);
    const blob = {
      address: toAddress(bytes.readBigUInt64LE(AT.entryBlob)),
      bytes: Number(bytes.readBigUInt64LE(AT.entryBytes)),
    };
    entries.push({
      entry: { address, bytes },
      blob: { address: blob.address, bytes: memory.read(blob.address, blob.bytes) },
    });
    address = toAddress(bytes.readBigUInt64LE(AT.entryNext));
  }
  return entries;
}

/**
 * A snapshot for the decoder: the list of code, without the modules the stack has nothing to do
 * with (the others are linked with each other), the process, its stack, the code before each
 * return address.
 */
export function snapshotOf(reading: VmReading, process: ErlangProcess, stack: ErlangStack): Buffer {
  const { memory, tables, offsets } = reading;
  const addresses = [process.i, ...stack.frames.map(({ returnAddress }) => returnAddress)];
  const kept = jitEntries(reading).filter(({ blob }) => isWanted(blob.bytes, addresses));
  for (const [index, { entry }] of kept.entries()) {
    u64(kept[index + 1]?.entry.address ?? 0).copy(entry.bytes, AT.entryNext);
    u64(kept[index - 1]?.entry.address ?? 0).copy(entry.bytes, AT.entryNext + 8);
  }
  const descriptor = memory.read(tables.descriptor, 24);
  u64(kept[0]?.entry.address ?? 0).copy(descriptor, 16);
  const pieces: Piece[] = [
    { address: tables.descriptor, bytes: descriptor },
    ...kept.flatMap(({ entry, blob }) => [entry, blob]),
    { address: process.address, bytes: memory.read(process.address, offsets.process.bytes) },
    { address: process.stop, bytes: memory.read(process.stop, process.hend - process.stop) },
    ...[...new Set(addresses)].map((address) => ({
      address: address - BYTES_BEFORE_RETURN,
      bytes: memory.read(address - BYTES_BEFORE_RETURN, BYTES_BEFORE_RETURN),
    })),
  ];
  return Buffer.concat(pieces.flatMap(({ address, bytes }) => [u64(address), u64(bytes.length), bytes]));
}

/** The emulator's own record, and modules that hold one of the addresses. */
function isWanted(blob: Buffer, addresses: readonly number[]): boolean {
  if (blob.readUInt32LE(0) === 0) return true;
  const start = toAddress(blob.readBigUInt64LE(8));
  const end = start + blob.readUInt32LE(20);
  return addresses.some((address) => address > start && address <= end);
}
