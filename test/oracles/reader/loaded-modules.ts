// Functions and lines from the loaded modules themselves: code headers, ErtsCodeInfo and line
// tables. These are other structures than the JIT's list for debuggers, and the VM writes them by
// other code, so the two prove each other.
import type { Atoms } from "./atoms.js";
import { EVERYWHERE as AT, type Offsets } from "./offsets.js";
import { type TargetMemory, toAddress, wordsOf } from "./target-memory.js";

export interface LoadedLine {
  address: number;
  line: number;
  /** Index into the module's files. */
  file: number;
}

export interface LoadedFunction {
  module: string;
  function: string;
  arity: number;
  /** As Erlang writes it: `lists:'-map/2-fun-0-'/1`. */
  name: string;
  /** Address of its ErtsCodeInfo; its code follows. */
  info: number;
  /** One past its last byte. */
  end: number;
  lines: LoadedLine[];
}

export interface LoadedModule {
  name: string;
  start: number;
  end: number;
  functions: LoadedFunction[];
  files: string[];
}

/** All modules of the code index that is in use. */
export function readLoadedModules(
  memory: TargetMemory,
  ranges: number,
  atoms: Atoms,
  offsets: Offsets,
): LoadedModule[] {
  const copies = [0, 1, 2].map((index) => ({
    first: memory.pointer(ranges + index * 32),
    count: memory.u32(ranges + index * 32 + 8),
  }));
  const current = copies.reduce((best, copy) => (copy.count > best.count ? copy : best));
  const words = memory.words(current.first, current.count * 2).map(toAddress);
  const spans = Array.from({ length: current.count }, (_, index) => ({
    start: words[index * 2] ?? 0,
    end: words[index * 2 + 1] ?? 0,
  }));
  return spans
    .filter(({ start, end }) => end > start)
    .map(({ start, end }) => readModule(memory, start, end, atoms, offsets));
}

function readModule(memory: TargetMemory, start: number, end: number, atoms: Atoms, offsets: Offsets): LoadedModule {
  const image = memory.read(start, end - start);
  const count = Number(image.readBigUInt64LE(0));
  const pointers = wordsOf(
    image.subarray(offsets.codeHeader.functions, offsets.codeHeader.functions + (count + 1) * 8),
  ).map(toAddress);
  const lines = readLines(
    memory,
    toAddress(image.readBigUInt64LE(offsets.codeHeader.lineTable)),
    count,
    atoms,
    offsets,
  );
  const functions = Array.from({ length: count }, (_, index): LoadedFunction => {
    const info = pointers[index] ?? 0;
    const at = info - start;
    const [module, name] = [AT.infoModule, AT.infoFunction].map((field) => image.readBigUInt64LE(at + field));
    const arity = image.readUInt8(at + AT.infoArity);
    return {
      module: atoms.of(module ?? 0n) ?? "?",
      function: atoms.of(name ?? 0n) ?? "?",
      arity,
      name: `${atoms.quoted(module ?? 0n)}:${atoms.quoted(name ?? 0n)}/${arity}`,
      info,
      end: pointers[index + 1] ?? 0,
      lines: lines.ofFunction[index] ?? [],
    };
  });
  const name = functions[0]?.module ?? "?";
  // Where the table has only other files, the first is the module's own.
  const files = offsets.interpreted ? [`${name}.erl`, ...lines.files] : lines.files;
  return { name, start, end, functions, files };
}

function readLines(
  memory: TargetMemory,
  table: number,
  functionCount: number,
  atoms: Atoms,
  offsets: Offsets,
): { ofFunction: LoadedLine[][]; files: string[] } {
  if (table === 0) return { ofFunction: [], files: [] };
  const head = memory.read(table, AT.lineFunctions);
  const locBytes = head.readInt32LE(AT.lineLocBytes);
  const starts = memory.words(table + AT.lineFunctions, functionCount + 1).map(toAddress);
  const first = starts[0] ?? 0;
  const count = ((starts[functionCount] ?? 0) - first) / 8;
  const addresses = memory.words(first, count).map(toAddress);
  const locations = memory.read(toAddress(head.readBigUInt64LE(AT.lineLocs)), count * locBytes);
  const all = addresses.map((address, index): LoadedLine => {
    const location = locBytes === 2 ? locations.readUInt16LE(index * 2) : locations.readUInt32LE(index * 4);
    return { address, line: location & 0xff_ffff, file: location >>> 24 };
  });
  const at = (index: number): number => ((starts[index] ?? 0) - first) / 8;
  const ofFunction = Array.from({ length: functionCount }, (_, index) => all.slice(at(index), at(index + 1)));
  const last = Math.max(0, ...all.map(({ file }) => file));
  const names = toAddress(head.readBigUInt64LE(AT.lineFiles));
  const fileCount = offsets.interpreted ? last : last + 1;
  const files =
    count === 0 || fileCount === 0
      ? []
      : memory.words(names, fileCount).map((name) => atoms.of(name) ?? readText(memory, name));
  return { ofFunction, files };
}

/** A list of characters. */
function readText(memory: TargetMemory, list: bigint): string {
  let text = "";
  for (let rest = list; (rest & 3n) === 1n && text.length < 4096;) {
    const [head = 0n, tail = 0n] = memory.words(toAddress(rest - 1n), 2);
    text += String.fromCodePoint(Number(head >> 4n));
    rest = tail;
  }
  return text;
}

/** Which function an address is in, and its line: that of the last entry at or before it. */
export class LoadedCode {
  readonly #modules: LoadedModule[];

  constructor(modules: readonly LoadedModule[]) {
    this.#modules = [...modules].sort((a, b) => a.start - b.start);
  }

  at(address: number): { module: LoadedModule; function: LoadedFunction; line: number; file: string } | undefined {
    const module = this.#modules.find(({ start, end }) => address >= start && address < end);
    const found = module?.functions.find(({ info, end }) => address >= info && address < end);
    if (module === undefined || found === undefined) return undefined;
    const entry = found.lines.findLast((line) => line.address <= address) ?? found.lines[0];
    const file = entry === undefined || entry.line === 0 ? "" : (module.files[entry.file] ?? "?");
    return { module, function: found, line: entry?.line ?? 0, file };
  }
}
