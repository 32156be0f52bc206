// The helper's decoding core, as a library behind C functions: VMs that run now, against the second reader's result for
// the same bytes. With EXTROSPECT_RECORD_FIXTURES=1 they are recorded as fixtures.
import assert from "node:assert/strict";
import { type TestContext, before, test } from "node:test";
import { assertAgree, byKey } from "./agreement.js";
import {
  type BlobFixture,
  type StackFixture,
  expectedStack,
  madeBlobs,
  realBlobs,
  stackFixture,
  writeFixtures,
} from "./decoder-fixtures.js";
import { type DecoderLibrary, loadDecoder } from "./decoder-library.js";
import { type ErlangStack, readStack } from "./reader/processes.js";
import { hex } from "./reader/target-memory.js";
import { type VmReading, readVm } from "./reader/vm.js";
import { jitEntries, snapshotOf } from "./vm-snapshot.js";
import { parseTruth } from "./vm-truth.js";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

const RELEASES = ["25", "27", "29"] as const;
const IS_RECORDING = process.env.EXTROSPECT_RECORD_FIXTURES === "1";
/** Program counters between two neighbours of the line table. */
const STEPS = 3;

let decoder: DecoderLibrary;
before(async () => {
  decoder = await loadDecoder();
  assert.equal(decoder.version(), 1);
});

const recorded: BlobFixture[] = [];

for (const release of RELEASES) {
  test(`OTP ${release}: a live VM through the library`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_truth" });
    t.after(() => vm.kill());
    await vm.report();
    await vm.report();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const reading = readVm(vm.pid, release);
    lookupsAgree(t, reading);
    const waits = parseTruth(await vm.report()).processes.filter(({ stacktrace }) =>
      stacktrace.some((entry) => entry.startsWith("gt_truth:waiting/1")),
    );
    stacksAgree(
      t,
      release,
      reading,
      waits.map(({ pid }) => pid),
    );
    if (!IS_RECORDING) return;
    recorded.push(...realBlobs(release, reading));
    writeFixtures(
      `stacks-${release}.json`,
      smallStacks(reading).map(([name, pid]) => fixtureOf(name, release, reading, pid)),
    );
    writeFixtures("blobs.json", [...madeBlobs(), ...recorded]);
  });
}

/** Every line entry of every function, and addresses in between. */
function lookupsAgree(t: TestContext, reading: VmReading): void {
  const pcs = new Set<number>();
  // To the module, the bytes after its last function belong to that; the JIT's list knows better.
  const footers = reading.jit.newestFirst.flatMap(({ ranges }) =>
    ranges.filter(({ name }) => name.endsWith("::codeFooter")),
  );
  const isFooter = (pc: number): boolean => footers.some(({ start, end }) => pc >= start && pc < end);
  for (const { lines, info, end } of reading.modules.flatMap((module) => module.functions)) {
    const borders = [info, ...lines.map(({ address }) => address).filter((address) => address >= info), end];
    for (const [index, address] of borders.slice(0, -1).entries()) {
      const width = (borders[index + 1] ?? address) - address;
      for (let step = 0; step < STEPS; step += 1) pcs.add(address + Math.floor((width * step) / STEPS));
    }
  }
  const all = [...pcs].filter((pc) => !isFooter(pc));
  const outcome = decoder.places(
    jitEntries(reading).map(({ blob }) => blob.bytes),
    all,
  );
  assert.ok("answer" in outcome, JSON.stringify(outcome));
  const own = all.map((pc) => [pc, reading.code.at(pc)] as const);
  // The JIT's list leaves out where code begins that the compiler made and that has no line: there
  // the helper shows the line before. Counted, and compared by that rule.
  let withoutLine = 0;
  const placeOf = (pc: number, found: (typeof own)[number][1]): string => {
    if (found === undefined) return "none";
    const before =
      found.line === 0 ? found.function.lines.findLast(({ address, line }) => line > 0 && address <= pc) : undefined;
    if (before === undefined) return `${found.function.name} ${found.file}:${found.line}`;
    withoutLine += 1;
    return `${found.function.name} ${found.module.files[before.file] ?? "?"}:${before.line}`;
  };
  assertAgree(
    t,
    "program counters",
    byKey(
      own,
      ([pc]) => hex(pc),
      ([pc, found]) => placeOf(pc, found),
    ),
    byKey(
      outcome.answer.entries(),
      ([index]) => hex(all[index] ?? 0),
      ([, found]) =>
        found === null ? "none" : `${found.function.replace(/-CodeInfoPrologue$/, "")} ${found.file}:${found.line}`,
    ),
  );
  t.diagnostic(`${withoutLine} of them are in code that has no line and shows the one before`);
}

function stackOf(reading: VmReading, pid: string): { process: VmReading["processes"][number]; stack: ErlangStack } {
  const found = reading.processes.find((process) => process.pid === pid);
  assert.ok(found !== undefined, `${pid} is gone`);
  return { process: found, stack: readStack(reading.memory, found, reading.jit) };
}

function stacksAgree(t: TestContext, release: string, reading: VmReading, pids: readonly string[]): void {
  const own = new Map<string, string>();
  const seen = new Map<string, string>();
  for (const pid of pids) {
    const { process, stack } = stackOf(reading, pid);
    own.set(pid, JSON.stringify({ answer: expectedStack(reading, process, stack) }));
    seen.set(
      pid,
      JSON.stringify(
        decoder.stack(snapshotOf(reading, process, stack), Number(release), reading.tables.descriptor, process.address),
      ),
    );
  }
  assert.ok(pids.length > 8, `only ${pids.length} processes wait`);
  assertAgree(t, "stacks out of snapshots", own, seen);
}

/** Processes of several kinds whose stacks need few modules: their snapshots are small. */
function smallStacks(reading: VmReading): [name: string, pid: string][] {
  const modules = new Set(["gt_truth_reloaded", "erts_code_purger", "erts_literal_area_collector", "prim_file"]);
  const isRecursion = (names: (string | undefined)[]): boolean =>
    names.filter((name) => name === "gt_truth:descend/1").length === 50;
  return reading.processes.flatMap(({ pid, i, registeredName }): [string, string][] => {
    const { stack } = stackOf(reading, pid);
    const frames = [i, ...stack.frames.map(({ returnAddress }) => returnAddress - 1)].map(
      (pc) => reading.code.at(pc)?.function,
    );
    const isSmall =
      isRecursion(frames.map((frame) => frame?.name)) ||
      frames.every((frame) => frame !== undefined && modules.has(frame.module));
    return isSmall ? [[`${registeredName ?? frames.at(-1)?.name ?? "?"}, ${stack.frames.length} frames`, pid]] : [];
  });
}

function fixtureOf(name: string, release: string, reading: VmReading, pid: string): StackFixture {
  const { process, stack } = stackOf(reading, pid);
  return stackFixture(name, release, reading, process, stack);
}
