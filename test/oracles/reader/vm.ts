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
  const tables = findTables(memory);
  const atoms = new Atoms(readAtoms(memory, tables.atoms, offsets));
  const modules = readLoadedModules(memory, tables.moduleRanges, atoms, offsets);
  return {
    memory,
    offsets,
    tables,
    atoms,
    jit: readJitCode(memory, tables.descriptor),
    modules,
    code: new LoadedCode(modules),
    processes: readProcesses(memory, tables.processes, atoms, offsets),
  };
}
