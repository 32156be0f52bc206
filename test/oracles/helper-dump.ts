// The helper's own list of its readings (`extrospect dump`), as records.
import assert from "node:assert/strict";
import { runHelper } from "../e2e/helper.mjs";

export interface DumpedRange {
  module: string;
  start: string;
  end: string;
  name: string;
  lines: [address: string, line: number, file: string][];
}

export interface DumpedAtom {
  index: number;
  name: string;
}

export interface DumpedProcess {
  address: string;
  pid: string;
  name: string | null;
  is_registered: boolean;
  state: string;
  heap: string;
  htop: string;
  stop: string;
  hend: string;
  heap_size_words: number;
  i: string;
  fcalls: number;
}

export interface DumpedPlace {
  function: string;
  file: string;
  line: number;
}

export interface DumpedStack {
  pid: string;
  stop: string;
  hend: string;
  words: string[];
  current: DumpedPlace | null;
  frames: ({ return_address: string; depth_bytes: number } & Partial<DumpedPlace>)[];
  complete: boolean;
  stray_words: number;
}

export interface Dump {
  code: DumpedRange[];
  atoms: DumpedAtom[];
  processes: DumpedProcess[];
  stacks: DumpedStack[];
}

/** All parts, one after the other. */
export async function dumpVm(pid: number): Promise<Dump> {
  return {
    code: await dumpPart<DumpedRange>(pid, "code"),
    atoms: await dumpPart<DumpedAtom>(pid, "atoms"),
    processes: await dumpPart<DumpedProcess>(pid, "processes"),
    stacks: await dumpPart<DumpedStack>(pid, "stacks"),
  };
}

async function dumpPart<Line>(pid: number, what: keyof Dump): Promise<Line[]> {
  const { code, stdout, stderr } = await runHelper(["dump", pid, "--what", what]);
  assert.equal(code, 0, stderr);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [head, end] = [lines.shift(), lines.pop()];
  assert.equal(head.what, what);
  assert.deepEqual(end, { end: true, lines: lines.length, cut: false });
  return lines;
}
