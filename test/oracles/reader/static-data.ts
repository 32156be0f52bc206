// Finds the VM's tables by their shape in its writable static data. No symbol is used, so the same search serves
// binaries with and without them.
import { readFileSync } from "node:fs";
import { EVERYWHERE as AT } from "./offsets.js";
import { type TargetMemory, toAddress } from "./target-memory.js";

/** Processes that have to look like some before a table is believed to be theirs. */
const CHECKED_PROCESSES = 64;

export interface Mapping {
  start: number;
  end: number;
  permissions: string;
  path: string;
}

export function mappings(pid: number): Mapping[] {
  const line = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/gm;
  return Array.from(
    readFileSync(`/proc/${pid}/maps`, "utf8").matchAll(line),
    ([, start = "", end = "", permissions = "", path = ""]) => ({
      start: Number.parseInt(start, 16),
      end: Number.parseInt(end, 16),
      permissions,
      path,
    }),
  );
}

export interface StaticTables {
  /** 0 when there is no JIT. */
  descriptor: number;
  /** Address of the three copies of the sorted list of modules. */
  moduleRanges: number;
  atoms: number;
  processes: number;
}

/** Finds each table; throws when there is none or more than one that fits. */
export function findTables(
  memory: TargetMemory,
  { interpreted = false }: { interpreted?: boolean } = {},
): StaticTables {
  const all = mappings(memory.pid);
  const isEmulator = ({ path }: Mapping): boolean => /\/beam\.(\w+\.)?smp$/.test(path);
  const isData = (mapping: Mapping): boolean => isEmulator(mapping) && mapping.permissions.startsWith("rw");
  const first = all.findIndex(isData);
  const last = all.findLastIndex(isData);
  if (first < 0) throw new Error(`process ${memory.pid} has no data of an Erlang emulator`);
  // The part that the file does not hold (.bss) follows without a name; a table may lie across the border.
  const after = all[last + 1];
  const hasMore = after !== undefined && after.path === "" && after.start === all[last]?.end;
  const [start, end] = [all[first]?.start ?? 0, (hasMore ? after : all[last])?.end ?? 0];
  const data = { start, bytes: memory.read(start, end - start) };
  const constants = all
    .filter((mapping) => isEmulator(mapping) && mapping.permissions.startsWith("r-"))
    .map(({ start, end }) => ({ start, bytes: memory.read(start, end - start) }));
  const names = constants.flatMap(({ start, bytes }) => {
    const at = bytes.indexOf("\0atom_tab\0");
    return at < 0 ? [] : [start + at + 1];
  });
  const isMapped = (address: number): boolean => all.some(({ start, end }) => address >= start && address < end);
  const search = { memory, isMapped };
  return {
    descriptor: interpreted ? 0 : only("JIT descriptor", data, 8, (piece, at) => isDescriptor(search, piece, at)),
    moduleRanges: only("module ranges", data, 8, (piece, at) => isModuleRanges(search, piece, at)),
    atoms: only("atom table", data, 8, (piece, at) => isAtomTable(search, names, piece, at)),
    processes: only("process table", data, 64, (piece, at) => isProcessTable(search, piece, at)),
  };
}

interface Search {
  memory: TargetMemory;
  isMapped: (address: number) => boolean;
}

function only(
  what: string,
  { start, bytes }: { start: number; bytes: Buffer },
  step: number,
  fits: (piece: Buffer, offset: number) => boolean,
): number {
  const found: number[] = [];
  for (let offset = 0; offset + 256 <= bytes.length; offset += step) {
    if (fits(bytes, offset)) found.push(start + offset);
  }
  if (found.length !== 1) throw new Error(`${found.length} candidates for the ${what}`);
  return found[0] ?? 0;
}

const pointerIn = (piece: Buffer, offset: number): number => toAddress(piece.readBigUInt64LE(offset));

/** {u32 version 1; u32 action; relevant; first}, where `first` has no predecessor and its blob is of a known kind. */
function isDescriptor({ memory, isMapped }: Search, piece: Buffer, offset: number): boolean {
  if (piece.readUInt32LE(offset) !== 1 || piece.readUInt32LE(offset + 4) > 2) return false;
  const first = pointerIn(piece, offset + 16);
  if (!isMapped(first) || first % 8 !== 0) return false;
  try {
    const entry = memory.read(first, 32);
    const bytes = Number(entry.readBigUInt64LE(AT.entryBytes));
    const [next, blob] = [pointerIn(entry, AT.entryNext), pointerIn(entry, AT.entryBlob)];
    if (bytes < 32 || bytes > 50_000_000 || !isMapped(next) || !isMapped(blob)) return false;
    return memory.u32(blob) <= 1 && memory.pointer(next + 8) === first;
  } catch {
    return false;
  }
}

/** Three groups {first, count, allocated, middle}, of ranges that ascend and do not overlap. */
function isModuleRanges({ memory, isMapped }: Search, piece: Buffer, offset: number): boolean {
  const groups = [0, 32, 64].map((at) => ({
    first: pointerIn(piece, offset + at),
    count: Number(piece.readBigInt64LE(offset + at + 8)),
    allocated: Number(piece.readBigInt64LE(offset + at + 16)),
    middle: pointerIn(piece, offset + at + 24),
  }));
  const plausible = groups.every(
    ({ first, count, allocated, middle }) =>
      count > 0 &&
      count <= allocated &&
      allocated < 1 << 20 &&
      isMapped(first) &&
      middle >= first &&
      middle < first + 16 * count,
  );
  if (!plausible) return false;
  try {
    return groups.every(({ first, count }) => {
      const words = memory.words(first, count * 2);
      return (
        words.every((word, index) => index === 0 || word >= (words[index - 1] ?? 0n)) &&
        isMapped(toAddress(words[0] ?? 0n))
      );
    });
  } catch {
    return false;
  }
}

/** Slots that hold a pointer: low words mark those that are being given away. */
export function pointersIn(slots: Buffer): number[] {
  const found: number[] = [];
  for (let offset = 0; offset + 8 <= slots.length; offset += 8) {
    const pointer = slots.readUInt32LE(offset) + slots.readUInt32LE(offset + 4) * 2 ** 32;
    if (pointer > 4096) found.push(pointer);
  }
  return found;
}

/** A power of two of slots, some of them taken, each by something whose first word is a local pid. */
function isProcessTable({ memory, isMapped }: Search, piece: Buffer, offset: number): boolean {
  const max = piece.readUInt32LE(offset + AT.processMax);
  const count = piece.readUInt32LE(offset + AT.processCount);
  const slots = pointerIn(piece, offset + AT.processSlots);
  const isPower = max >= 1024 && max <= 1 << 27 && (max & (max - 1)) === 0;
  if (!isPower || count < 3 || count >= max || slots % 8 !== 0 || !isMapped(slots)) return false;
  try {
    const taken = pointersIn(memory.read(slots, max * 8)).slice(0, CHECKED_PROCESSES);
    return taken.length > 2 && taken.every((at) => isMapped(at) && (memory.word(at) & 0xfn) === 3n);
  } catch {
    return false;
  }
}

/** The table of that name whose first entry has index 0 and five bytes: "false". */
function isAtomTable({ memory, isMapped }: Search, names: readonly number[], piece: Buffer, offset: number): boolean {
  if (!names.includes(pointerIn(piece, offset + AT.tableName))) return false;
  const [limit, entries] = [piece.readUInt32LE(offset + AT.indexLimit), piece.readUInt32LE(offset + AT.indexEntries)];
  const segments = pointerIn(piece, offset + AT.indexSegments);
  if (entries < 1000 || entries > limit || !isMapped(segments)) return false;
  try {
    const first = memory.read(memory.pointer(memory.pointer(segments)), AT.atomBytes);
    return first.readUInt32LE(AT.atomIndex) === 0 && first.readInt16LE(AT.atomLength) === 5;
  } catch {
    return false;
  }
}
