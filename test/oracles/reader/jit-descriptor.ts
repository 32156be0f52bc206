// The VM's own list of JIT code for debuggers, parsed a second time and in another way.
import { EVERYWHERE as AT } from "./offsets.js";
import { type TargetMemory, toAddress } from "./target-memory.js";

export interface JitLine {
  address: number;
  line: number;
  file: string;
}

export interface JitRange {
  module: string;
  start: number;
  end: number;
  name: string;
  lines: JitLine[];
}

export interface JitModule {
  name: string;
  start: number;
  end: number;
  ranges: JitRange[];
}

export interface JitCode {
  /** Return address at the bottom of every Erlang stack. */
  normalExit: number;
  framePointers: boolean;
  newestFirst: JitModule[];
}

export function readJitCode(memory: TargetMemory, descriptor: number): JitCode {
  const entries: { address: number; bytes: number }[] = [];
  for (let entry = memory.pointer(descriptor + 16); entry !== 0 && entries.length < 100_000;) {
    const struct = memory.read(entry, 32);
    entries.push({
      address: toAddress(struct.readBigUInt64LE(AT.entryBlob)),
      bytes: Number(struct.readBigUInt64LE(AT.entryBytes)),
    });
    entry = toAddress(struct.readBigUInt64LE(AT.entryNext));
  }
  const code: JitCode = { normalExit: 0, framePointers: false, newestFirst: [] };
  for (const blob of memory.readAll(entries)) {
    if (blob.readUInt32LE(0) === 0) {
      code.framePointers = blob.readInt32LE(8) === 1;
      code.normalExit = toAddress(blob.readBigUInt64LE(16));
    } else {
      code.newestFirst.push(parseModule(blob));
    }
  }
  return code;
}

/** One module's blob; throws unless the records end exactly where the blob does. */
export function parseModule(blob: Buffer): JitModule {
  const text = (lengthAt: number): string =>
    blob.toString("utf8", lengthAt + 2, lengthAt + 2 + blob.readUInt16LE(lengthAt) - 1);
  const base = toAddress(blob.readBigUInt64LE(8));
  const module = text(24);
  let cursor = 32 + blob.readUInt16LE(24);
  const ranges: JitRange[] = [];
  for (let left = blob.readUInt32LE(16); left > 0; left -= 1) {
    const range: JitRange = {
      module,
      start: base + blob.readUInt32LE(cursor),
      end: base + blob.readUInt32LE(cursor + 4),
      name: text(cursor + 12),
      lines: [],
    };
    const lineCount = blob.readUInt32LE(cursor + 8);
    cursor += 16 + blob.readUInt16LE(cursor + 12);
    for (let line = 0; line < lineCount; line += 1) {
      const entry = {
        address: base + blob.readUInt32LE(cursor),
        line: blob.readUInt32LE(cursor + 4),
        file: text(cursor + 8),
      };
      // A trailing entry beyond the range is the head of the next function.
      if (entry.address < range.end) range.lines.push(entry);
      cursor += 12 + blob.readUInt16LE(cursor + 8);
    }
    ranges.push(range);
  }
  dropHeadsOfOthers(ranges);
  if (cursor !== blob.length) throw new Error(`the records of ${module} end at ${cursor} of ${blob.length}`);
  return { name: module, start: base, end: base + blob.readUInt32LE(20), ranges };
}

/** OTP 25 puts a function's head a few bytes before it, and lists it as the last line of the function before, too. */
function dropHeadsOfOthers(ranges: JitRange[]): void {
  const ascending = [...ranges].sort((a, b) => a.start - b.start);
  for (const [index, { lines, end }] of ascending.entries()) {
    const [head] = ascending.slice(index + 1).find((range) => range.lines.length > 0)?.lines ?? [];
    const last = lines.at(-1);
    if (last !== undefined && last.address === head?.address && head.address < end) lines.pop();
  }
}

/** A module has its current and its old code; a third generation is loaded only when the old one was purged. */
const MOST_GENERATIONS = 2;
/** Name of the code that all modules share, and of a module of Erlang's own. */
const SHARED = "global";

/** The modules that are not purged: OTP 25 lists those for ever. */
function loaded({ newestFirst }: JitCode): JitModule[] {
  return newestFirst.filter(
    ({ name }, index) =>
      name === SHARED || newestFirst.slice(0, index).filter((newer) => newer.name === name).length < MOST_GENERATIONS,
  );
}

/** The ranges that hold at least one address that no newer module claims, ascending. */
export function visibleRanges(code: JitCode): JitRange[] {
  const visible: JitRange[] = [];
  const claimed: { start: number; end: number }[] = [];
  for (const module of loaded(code)) {
    const newer = claimed.filter(({ start, end }) => start < module.end && end > module.start);
    for (const range of module.ranges) {
      if (uncovered({ start: range.start, end: range.end }, newer)) visible.push(range);
    }
    claimed.push(module);
  }
  return visible.sort((a, b) => a.start - b.start || a.end - b.end);
}

function uncovered(range: { start: number; end: number }, by: { start: number; end: number }[]): boolean {
  let from = range.start;
  for (const cover of [...by].sort((a, b) => a.start - b.start)) {
    if (cover.start > from) break;
    from = Math.max(from, cover.end);
  }
  return from < range.end;
}
