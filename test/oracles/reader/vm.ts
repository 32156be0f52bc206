// All that the second reader knows of a VM.
import { Atoms, readAtoms } from "./atoms.js";
import { type JitCode, readJitCode } from "./jit-descriptor.js";
import { LoadedCode, type LoadedModule, readLoadedModules } from "./loaded-modules.js";
import { OFFSETS, type Offsets } from "./offsets.js";
import { type ErlangProcess, readProcesses } from "./processes.js";
import { type StaticTables, findTables } from "./static-data.js";
import { TargetMemory } from "./target-memory.js";

export interface VmReading {
  memory: TargetMemory;
  offsets: Offsets;
  tables: StaticTables;
  atoms: Atoms;
  jit: JitCode;
  modules: LoadedModule[];
  code: LoadedCode;
  processes: ErlangProcess[];
}

export function readVm(pid: number, release: string): VmReading {
  const offsets = OFFSETS[release];
  if (offsets === undefined) throw new Error(`the second reader has no offsets for OTP ${release}`);
  const memory = new TargetMemory(pid);
  const tables = findTables(memory, offsets);
  const atoms = new Atoms(readAtoms(memory, tables.atoms, offsets));
  const modules = readLoadedModules(memory, tables.moduleRanges, atoms, offsets);
  const processes = readProcesses(memory, tables.processes, atoms, offsets);
  return {
    memory,
    offsets,
    tables,
    atoms,
    jit: offsets.interpreted ? interpretedCode(memory, modules, processes) : readJitCode(memory, tables.descriptor),
    modules,
    code: new LoadedCode(modules),
    processes,
  };
}

/** Code that is interpreted, as far as stacks need it. All stacks have the same word at their bottom. */
function interpretedCode(
  memory: TargetMemory,
  modules: readonly LoadedModule[],
  processes: readonly ErlangProcess[],
): JitCode {
  const bottoms = new Set(
    processes.filter(({ stop, hend }) => stop < hend).map(({ hend }) => memory.pointer(hend - 8)),
  );
  if (bottoms.size !== 1) throw new Error(`${bottoms.size} words at the bottoms of stacks`);
  const [normalExit = 0] = bottoms;
  return {
    normalExit,
    framePointers: false,
    newestFirst: modules.map(({ name, start, end }) => ({ name, start, end, ranges: [] })),
  };
}
