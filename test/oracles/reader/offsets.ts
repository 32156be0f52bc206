// Where fields are in the VM's structures, x86-64, bytes.
//
// Provenance: an independent list, made from the debug information of each release's headers (erts-11.1.8, 13.1.5,
// 15.2.7 and 17.1.1, configured as Debian does) and, for the entries marked "live", found again in running VMs. Not
// shared with the helper, which has its own table: where the two disagree a test fails.

export interface Offsets {
  /** Process */
  process: {
    bytes: number;
    reg: number;
    htop: number;
    stop: number;
    heap: number;
    hend: number;
    heapWords: number;
    i: number;
    initialCall: number;
    current: number;
    state: number;
    fcalls: number;
    fcallsBytes: 4 | 8;
  };
  /** BeamCodeHeader */
  codeHeader: { lineTable: number; functions: number };
  /** Atom.name points at the text (live), or is a boxed term for a bitstring on a heap (live). */
  atomName: "pointer" | "bitstring";
  /** Where a pid term has the slot of its process in the table (live). */
  pids: "slotAbove" | "slotInside";
  /** There is no JIT, and so no list of its code (live). */
  interpreted?: boolean;
}

/** Fields that are in the same place in all releases known. */
export const EVERYWHERE = {
  // HashTable.name, in an IndexTable
  tableName: 64,
  // IndexTable
  indexLimit: 112,
  indexEntries: 116,
  indexSegments: 120,
  // Atom
  atomBytes: 40,
  atomIndex: 16,
  atomLength: 24,
  atomName: 32,
  // ErtsPTab
  processCount: 136,
  processSlots: 192,
  processMax: 208,
  // RegProc
  regProcName: 32,
  // ErtsCodeInfo
  infoModule: 16,
  infoFunction: 24,
  infoArity: 32,
  infoBytes: 40,
  // BeamCodeLineTab
  lineFiles: 0,
  lineLocBytes: 8,
  lineLocs: 16,
  lineFunctions: 24,
  // jit_code_entry
  entryNext: 0,
  entryBlob: 16,
  entryBytes: 24,
} as const;

/** Process.state */
export const STATE = {
  exiting: 0x800,
  active: 0x2000,
  running: 0x8000,
  suspended: 0x1_0000,
  collecting: 0x2_0000,
} as const;

export const OFFSETS: Readonly<Record<string, Offsets>> = {
  23: {
    process: {
      bytes: 736,
      reg: 48,
      htop: 80,
      stop: 88,
      fcalls: 240,
      fcallsBytes: 8,
      heap: 96,
      hend: 104,
      heapWords: 120,
      i: 224,
      initialCall: 432,
      current: 456,
      state: 616,
    },
    codeHeader: { lineTable: 72, functions: 88 },
    atomName: "pointer",
    pids: "slotAbove",
    interpreted: true,
  },
  25: {
    process: {
      bytes: 776,
      reg: 48,
      htop: 80,
      stop: 88,
      fcalls: 104,
      fcallsBytes: 8,
      heap: 128,
      hend: 136,
      heapWords: 152,
      i: 256,
      initialCall: 448,
      current: 472,
      state: 640,
    },
    codeHeader: { lineTable: 72, functions: 96 },
    atomName: "pointer",
    pids: "slotAbove",
  },
  27: {
    process: {
      bytes: 760,
      reg: 32,
      htop: 80,
      stop: 88,
      fcalls: 120,
      fcallsBytes: 4,
      heap: 192,
      hend: 200,
      heapWords: 216,
      i: 248,
      initialCall: 440,
      current: 464,
      state: 624,
    },
    codeHeader: { lineTable: 72, functions: 136 },
    atomName: "pointer",
    pids: "slotInside",
  },
  29: {
    process: {
      bytes: 768,
      reg: 32,
      htop: 80,
      stop: 88,
      fcalls: 120,
      fcallsBytes: 4,
      heap: 192,
      hend: 200,
      heapWords: 216,
      i: 248,
      initialCall: 440,
      current: 464,
      state: 624,
    },
    codeHeader: { lineTable: 72, functions: 152 },
    atomName: "bitstring",
    pids: "slotInside",
  },
};
