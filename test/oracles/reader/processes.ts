// The process table and the stacks of processes that do not run.
import type { Atoms } from "./atoms.js";
import type { JitCode } from "./jit-descriptor.js";
import { EVERYWHERE as AT, type Offsets } from "./offsets.js";
import { pointersIn } from "./static-data.js";
import { type TargetMemory, hex, toAddress, wordsOf } from "./target-memory.js";

export interface ErlangProcess {
  address: number;
  pid: string;
  registeredName: string | undefined;
  initialCall: string;
  state: number;
  heap: number;
  htop: number;
  stop: number;
  hend: number;
  heapWords: number;
  i: number;
  fcalls: number;
}

/** All processes, by address. */
export function readProcesses(memory: TargetMemory, table: number, atoms: Atoms, offsets: Offsets): ErlangProcess[] {
  const slots = memory.read(memory.pointer(table + AT.processSlots), memory.u32(table + AT.processMax) * 8);
  const found = pointersIn(slots);
  const structs = memory.readAll(found.map((address) => ({ address, bytes: offsets.process.bytes })));
  const at = offsets.process;
  const pidText = pidTextBy(memory, table, offsets.pids);
  return structs.map((struct, index) => {
    const word = (offset: number): bigint => struct.readBigUInt64LE(offset);
    const reg = toAddress(word(at.reg));
    const [module = 0n, name = 0n, arity = 0n] = [0, 8, 16].map((field) => word(at.initialCall + field));
    return {
      address: found[index] ?? 0,
      pid: pidText(word(0)),
      registeredName: reg === 0 ? undefined : atoms.of(memory.word(reg + AT.regProcName)),
      initialCall: `${atoms.quoted(module)}:${atoms.quoted(name)}/${arity & 0xffn}`,
      state: struct.readUInt32LE(at.state),
      heap: toAddress(word(at.heap)),
      htop: toAddress(word(at.htop)),
      stop: toAddress(word(at.stop)),
      hend: toAddress(word(at.hend)),
      heapWords: Number(word(at.heapWords)),
      i: toAddress(word(at.i)),
      fcalls: at.fcallsBytes === 8 ? Number(struct.readBigInt64LE(at.fcalls)) : struct.readInt32LE(at.fcalls),
    };
  });
}

/**
 * Text of pid terms, by the scheme in this VM's table: up to OTP 25 the slot is the upper half and the lower one has 15
 * bits of number and 13 of serial; later the slot takes part of one field of 60 bits, with its bits in another order.
 */
function pidTextBy(memory: TargetMemory, table: number, scheme: Offsets["pids"]): (term: bigint) => string {
  const at = table + AT.processMax;
  if (scheme === "slotAbove") return (term) => pid((term >> 4n) & 0x7fffn, (term >> 19n) & 0x1fffn, term);
  const [slotMask = 0n, lineMask = 0n, inLineMask = 0n] = memory.words(at + 8, 3);
  const [lineShift, inLineShift] = [BigInt(memory.u32(at + 32)), BigInt(memory.u32(at + 36))];
  return (term) => {
    const slotted = term >> 4n;
    const data = (slotted & ~slotMask) | ((slotted >> lineShift) & lineMask) | ((slotted & inLineMask) << inLineShift);
    return pid(data & 0xfff_ffffn, data >> 28n, term);
  };
}

function pid(number: bigint, serial: bigint, term: bigint): string {
  return (term & 0xfn) === 3n ? `<0.${number}.${serial}>` : `not a pid: ${hex(term)}`;
}

export interface StackFrame {
  returnAddress: number;
  /** From its word to the bottom of the stack. */
  depthBytes: number;
}

export interface ErlangStack {
  words: bigint[];
  /** Innermost first; without the word at the bottom. */
  frames: StackFrame[];
  /** The last word is the one every process starts with. */
  endsWell: boolean;
  /** Words that a stack at rest cannot hold. */
  strays: bigint[];
}

/**
 * Words whose two low bits are clear are return addresses: terms have others. With frame pointers
 * they may be addresses further down the same stack, too, and the last one before the bottom is null.
 */
export function readStack(memory: TargetMemory, process: ErlangProcess, jit: JitCode): ErlangStack {
  const words = wordsOf(memory.read(process.stop, process.hend - process.stop));
  const stack: ErlangStack = { words, frames: [], strays: [], endsWell: words.at(-1) === BigInt(jit.normalExit) };
  for (const [index, word] of words.slice(0, -1).entries()) {
    if ((word & 3n) !== 0n) continue;
    const value = toAddress(word);
    const isInside = value > process.stop + index * 8 && value < process.hend;
    const isFramePointer = jit.framePointers && (isInside || (word === 0n && index === words.length - 2));
    if (isCode(jit, value)) stack.frames.push({ returnAddress: value, depthBytes: (words.length - index) * 8 });
    else if (!isFramePointer) stack.strays.push(word);
  }
  return stack;
}

function isCode(jit: JitCode, returnAddress: number): boolean {
  return jit.newestFirst.some(({ start, end }) => returnAddress > start && returnAddress <= end);
}
