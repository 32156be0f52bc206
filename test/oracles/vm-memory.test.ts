// The helper, a second reader of the same memory that shares nothing with it, and the VM's own word: all three agree
// about a VM at rest.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { assertAgree, byKey } from "./agreement.js";
import { type Dump, dumpVm } from "./helper-dump.js";
import { removePerfFiles } from "./perf-files.js";
import { type JitRange, visibleRanges } from "./reader/jit-descriptor.js";
import type { LoadedModule } from "./reader/loaded-modules.js";
import { STATE } from "./reader/offsets.js";
import { type ErlangStack, readStack } from "./reader/processes.js";
import { hex } from "./reader/target-memory.js";
import { type VmReading, readVm } from "./reader/vm.js";
import { type VmTruth, parseTruth } from "./vm-truth.js";
import { untilAnswered } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { whileStopped } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";

/** One VM with frame pointers: they are on its stacks as well. */
const VMS = [
  { release: "23", emulatorFlags: [] },
  { release: "25", emulatorFlags: [] },
  { release: "27", emulatorFlags: [] },
  { release: "27", emulatorFlags: ["+JPperf", "true"] },
  { release: "29", emulatorFlags: [] },
] as const;
/** So many that numbers of processes pass the borders at 15 and at 17 bits. */
const BURNT_PROCESSES = 140_000;

interface Scene {
  truth: VmTruth;
  helper: Dump;
  reading: VmReading;
  stacks: Map<string, ErlangStack>;
}

for (const { release, emulatorFlags } of VMS) {
  test(`OTP ${[release, ...emulatorFlags].join(" ")}: helper, second reader and VM agree`, async (t) => {
    const otp = await prepareOtp(release);
    const vm = await runErl({ otp, module: "gt_truth", args: [BURNT_PROCESSES], emulatorFlags: [...emulatorFlags] });
    t.after(() => {
      vm.kill();
      removePerfFiles(otp, vm.pid);
    });
    await vm.report(); // loads the code that reporting needs
    const scene = await atRest(t, vm, release);
    assert.ok(
      scene.reading.modules.length > new Set(scene.reading.modules.map(({ name }) => name)).size,
      "no module has old code",
    );
    await t.test("atoms", (t) => atomsAgree(t, scene));
    if (!scene.reading.offsets.interpreted) await t.test("JIT ranges and their lines", (t) => rangesAgree(t, scene));
    await t.test("functions and lines of the loaded modules", (t) => functionsAgree(t, scene));
    await t.test("process table", (t) => processesAgree(t, scene));
    await t.test("stacks, word for word", (t) => stacksAgree(t, scene));
  });
}

/** The truth, and both readings of a VM that is stopped, in which no process worked since. */
function atRest(t: TestContext, vm: Awaited<ReturnType<typeof runErl>>, release: string): Promise<Scene> {
  return untilAnswered("the VM rests", async () => {
    const truth = parseTruth(await vm.report());
    const seen = await whileStopped(vm.pid, async () => {
      const reading = readingAtRest(vm.pid, release);
      return reading && { reading, helper: await dumpVm(vm.pid), stacks: stacksOf(reading) };
    });
    const after = parseTruth(await vm.report());
    if (seen !== undefined && isDeepStrictEqual(after.processes, truth.processes)) return { truth, ...seen };
    t.diagnostic(`read again: ${unreadable?.message ?? "a process of it ran"}`);
    return undefined;
  });
}

/** None where a process runs, or is on its way, as one that waits for a busy port is; its data may make no sense. */
function readingAtRest(pid: number, release: string): VmReading | undefined {
  try {
    const reading = readVm(pid, release);
    return reading.processes.every(({ state }) => (state & (STATE.active | STATE.running | STATE.collecting)) === 0)
      ? reading
      : undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    unreadable = error;
    return undefined;
  }
}

/** Why the last reading could not be made. */
let unreadable: Error | undefined;

const stacksOf = ({ memory, processes, jit }: VmReading): Map<string, ErlangStack> =>
  new Map(processes.map((process) => [process.pid, readStack(memory, process, jit)]));

function atomsAgree(t: TestContext, { helper, reading, truth }: Scene): void {
  const own = byKey(
    reading.atoms.names.entries(),
    ([index]) => String(index),
    ([, name]) => name,
  );
  assertAgree(
    t,
    "helper",
    own,
    byKey(
      helper.atoms,
      ({ index }) => String(index),
      ({ name }) => name,
    ),
  );
  assertAgree(
    t,
    "VM",
    own,
    byKey(
      truth.atoms.entries(),
      ([index]) => String(index),
      ([, name]) => name,
    ),
  );
}

function rangesAgree(t: TestContext, { helper, reading }: Scene): void {
  const own = byKey(
    visibleRanges(reading.jit),
    ({ start, end, name }) => `${hex(start)}-${hex(end)} ${name}`,
    ({ module, lines }: JitRange) =>
      `${module}: ${lines.map(({ address, line, file }) => `${hex(address)} ${file}:${line}`).join(", ")}`,
  );
  const helpers = byKey(
    helper.code,
    ({ start, end, name }) => `${start}-${end} ${name}`,
    ({ module, lines }) =>
      `${module}: ${lines.map(([address, line, file]) => `${address} ${file}:${line}`).join(", ")}`,
  );
  assertAgree(t, "helper", own, helpers);
}

/**
 * The JIT's list has a function as two ranges, one of them for the bytes before its code; the module has it as one.
 */
function functionsAgree(t: TestContext, { helper, reading, truth }: Scene): void {
  const functions = reading.modules.flatMap((module) => module.functions.map((of) => ({ module, of })));
  const linesText = (lines: { address: number; line: number; file: string }[]): string =>
    lines
      .filter(({ line }) => line > 0)
      .map(({ address, line, file }) => `${hex(address)} ${file}:${line}`)
      .join(", ");
  const own = byKey(
    functions,
    ({ of }) => `${hex(of.info)} ${of.name}`,
    ({ module, of }) => linesText(of.lines.map((line) => ({ ...line, file: module.files[line.file] ?? "?" }))),
  );
  const starts = new Set(functions.map(({ of }) => hex(of.info)));
  const helpers = new Map<string, string>();
  const plain = reading.offsets.interpreted ? helper.code : [];
  for (const { start, name, lines } of plain)
    helpers.set(
      `${start} ${name}`,
      linesText(lines.map(([address, line, file]) => ({ address: Number(address), line, file }))),
    );
  for (const [index, range] of helper.code.entries()) {
    const next = helper.code[index + 1];
    if (!starts.has(range.start) || !range.name.endsWith("-CodeInfoPrologue") || next === undefined) continue;
    const lines = [...range.lines, ...next.lines].map(([address, line, file]) => ({
      address: Number(address),
      line,
      file,
    }));
    helpers.set(`${range.start} ${next.name}`, linesText(lines));
  }
  assertAgree(t, "helper", own, helpers);
  assertAgree(
    t,
    "VM",
    byKey(
      truth.modules,
      ({ name }) => name,
      ({ functions }) => [...functions].sort().join(" "),
    ),
    byKey(
      newestGenerations(reading, truth),
      ({ name }) => name,
      ({ functions }) =>
        functions
          .map((of) => `${of.function}/${of.arity}`)
          .sort()
          .join(" "),
    ),
  );
}

/**
 * The VM reports current code only; code that is old now was loaded before it. Without a JIT's list the order is
 * unknown: of two the one is taken that has the functions that the VM reports, if there is one.
 */
function newestGenerations({ modules, jit, offsets }: VmReading, truth: VmTruth): LoadedModule[] {
  if (offsets.interpreted) {
    const told = new Map(truth.modules.map(({ name, functions }) => [name, [...functions].sort().join(" ")]));
    const isTold = ({ name, functions }: LoadedModule): boolean =>
      told.get(name) ===
      functions
        .map((of) => `${of.function}/${of.arity}`)
        .sort()
        .join(" ");
    const ofName = new Map<string, LoadedModule>();
    for (const module of modules) if (!ofName.has(module.name) || isTold(module)) ofName.set(module.name, module);
    return [...ofName.values()];
  }
  const age = new Map(jit.newestFirst.map(({ start }, index) => [start, jit.newestFirst.length - index]));
  const newest = new Map<string, LoadedModule>();
  for (const module of [...modules].sort((a, b) => (age.get(a.start) ?? 0) - (age.get(b.start) ?? 0)))
    newest.set(module.name, module);
  return [...newest.values()];
}

function processesAgree(t: TestContext, { helper, reading, truth }: Scene): void {
  const own = byKey(
    reading.processes,
    ({ pid }) => pid,
    (of) =>
      [
        hex(of.address),
        of.registeredName !== undefined,
        hex(of.state),
        hex(of.heap),
        hex(of.htop),
        hex(of.stop),
        hex(of.hend),
        of.heapWords,
        hex(of.i),
        of.fcalls,
      ].join(" "),
  );
  const helpers = byKey(
    helper.processes,
    ({ pid }) => pid,
    (of) =>
      [
        of.address,
        of.is_registered,
        of.state,
        of.heap,
        of.htop,
        of.stop,
        of.hend,
        of.heap_size_words,
        of.i,
        of.fcalls,
      ].join(" "),
  );
  assertAgree(t, "helper", own, helpers);
  assertAgree(
    t,
    "VM: name, initial call, words of stack",
    byKey(
      truth.processes,
      ({ pid }) => pid,
      (of) => `${of.registeredName} ${of.initialCall} ${of.stackWords}`,
    ),
    byKey(
      reading.processes,
      ({ pid }) => pid,
      (of) => `${of.registeredName ?? ""} ${of.initialCall} ${(of.hend - of.stop) / 8}`,
    ),
  );
  assertAgree(
    t,
    "VM: names the helper shows",
    byKey(
      truth.processes,
      ({ pid }) => pid,
      (of) => of.quotedName ?? of.initialCall,
    ),
    byKey(
      helper.processes,
      ({ pid }) => pid,
      ({ name }) => name ?? "none",
    ),
  );
}

function stacksAgree(t: TestContext, { helper, reading, stacks, truth }: Scene): void {
  const helpers = new Map(helper.stacks.map((stack) => [stack.pid, stack]));
  assertAgree(
    t,
    "helper: stacks of processes at rest, their words",
    byKey(
      stacks,
      ([pid]) => pid,
      ([, { words }]) => words.map((word) => hex(word)).join(" "),
    ),
    byKey(
      helper.stacks,
      ({ pid }) => pid,
      ({ words }) => words.join(" "),
    ),
  );
  const place = (pc: number): string => {
    const at = reading.code.at(pc);
    return at === undefined ? "" : `${at.function.name} ${at.file}:${at.line}`;
  };
  const own = new Map<string, string>();
  const theirs = new Map<string, string>();
  for (const { pid, i } of reading.processes) {
    const stack = stacks.get(pid);
    const other = helpers.get(pid);
    if (stack === undefined || other === undefined) continue;
    assert.deepEqual([stack.endsWell, stack.strays.length], [true, 0], `${pid} has no good stack`);
    assert.deepEqual([other.complete, other.stray_words], [true, 0], `by the helper ${pid} has no good stack`);
    own.set(`${pid} current`, place(i));
    // The helper names fragments, too; the modules do not have them.
    theirs.set(
      `${pid} current`,
      place(i) === "" ? "" : `${other.current?.function} ${other.current?.file}:${other.current?.line}`,
    );
    for (const frame of stack.frames)
      own.set(`${pid} -${frame.depthBytes}`, `${hex(frame.returnAddress)} ${place(frame.returnAddress - 1)}`);
    for (const frame of other.frames)
      theirs.set(
        `${pid} -${frame.depth_bytes}`,
        `${frame.return_address} ${frame.function} ${frame.file}:${frame.line}`,
      );
  }
  assertAgree(t, "helper: frames", own, theirs);
  const seen = (pid: string): string => {
    const stack = stacks.get(pid);
    const i = reading.processes.find((process) => process.pid === pid)?.i ?? 0;
    const pcs = [i, ...(stack?.frames ?? []).map((frame) => frame.returnAddress - 1)];
    // The VM leaves out a frame that follows itself: a recursion is one entry.
    return pcs
      .filter((pc, index) => pc !== pcs[index - 1])
      .map(place)
      .filter(Boolean)
      .join("\n");
  };
  assertAgree(
    t,
    "VM: current_stacktrace",
    byKey(
      truth.processes,
      ({ pid }) => pid,
      ({ stacktrace }) => stacktrace.join("\n"),
    ),
    byKey(
      truth.processes,
      ({ pid }) => pid,
      ({ pid }) => seen(pid),
    ),
  );
}
