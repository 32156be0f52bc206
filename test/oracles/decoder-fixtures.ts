// The fixtures of native-helper/crates/testing/decoder-c-abi, which the Rust tests there use, too. The expected values come
// from the second reader. `EXTROSPECT_RECORD_FIXTURES=1` makes them anew.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HELPER_WORKSPACE } from "../../scripts/project.mjs";
import { type BlobAnswer, type Outcome, type PlaceAnswer, STATUS, type StackAnswer, u64 } from "./decoder-library.js";
import { parseModule } from "./reader/jit-descriptor.js";
import type { ErlangProcess, ErlangStack } from "./reader/processes.js";
import { hex } from "./reader/target-memory.js";
import type { VmReading } from "./reader/vm.js";
import { jitEntries, snapshotOf } from "./vm-snapshot.js";

const FOLDER = join(HELPER_WORKSPACE, "crates/testing/decoder-c-abi/fixtures");

export interface BlobFixture {
  name: string;
  /** Hexadecimal. */
  bytes: string;
  expect: Outcome<BlobAnswer>;
}

export interface StackFixture {
  name: string;
  otp: number;
  descriptor: string;
  process: string;
  /** (u64 address, u64 length, that many bytes)*, hexadecimal. */
  bytes: string;
  expect: Outcome<StackAnswer>;
}

export function readFixtures<Fixture>(name: string): Fixture[] {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
}

export function writeFixtures(name: string, fixtures: readonly object[]): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, name), `[\n${fixtures.map((fixture) => JSON.stringify(fixture)).join(",\n")}\n]\n`);
}

/** The second reader's result for a stack. */
export function expectedStack(reading: VmReading, process: ErlangProcess, stack: ErlangStack): StackAnswer {
  const place = (pc: number): PlaceAnswer | null => {
    const found = reading.code.at(pc);
    return found === undefined ? null : { function: found.function.name, file: found.file, line: found.line };
  };
  return {
    complete: stack.endsWell,
    stray_words: stack.strays.length,
    current: place(process.i),
    frames: stack.frames.map(({ returnAddress }) => ({
      return_address: hex(returnAddress),
      place: place(returnAddress - 1),
    })),
  };
}

export function stackFixture(
  name: string,
  release: string,
  reading: VmReading,
  process: ErlangProcess,
  stack: ErlangStack,
): StackFixture {
  return {
    name,
    otp: Number(release),
    descriptor: hex(reading.tables.descriptor),
    process: hex(process.address),
    bytes: snapshotOf(reading, process, stack).toString("hex"),
    expect: { answer: expectedStack(reading, process, stack) },
  };
}

/** The second reader's result for a blob. */
export function expectedBlob(blob: Buffer): BlobAnswer {
  if (blob.readUInt32LE(0) === 0)
    return { emulator: { frame_pointers: blob.readInt32LE(8) !== 0, normal_exit: hex(blob.readBigUInt64LE(16)) } };
  const { name, start, end, ranges } = parseModule(blob);
  return {
    module: {
      name,
      base: hex(start),
      code_bytes: end - start,
      ranges: ranges
        .map((range) => ({
          start: range.start - start,
          end: range.end - start,
          name: range.name,
          lines: range.lines.map(({ address, line, file }): [number, number, string] => [address - start, line, file]),
        }))
        .sort((a, b) => a.start - b.start),
    },
  };
}

/** Small real blobs of a VM, the emulator's own among them. */
export function realBlobs(release: string, reading: VmReading): BlobFixture[] {
  return jitEntries(reading)
    .map(({ blob }) => blob.bytes)
    .filter((blob) => blob.readUInt32LE(0) === 0 || ["gt_control", "erts_beamasm"].includes(parseModule(blob).name))
    .map((blob) => {
      const answer = expectedBlob(blob);
      return {
        name: `OTP ${release}, ${answer.module?.name ?? "the emulator"}`,
        bytes: blob.toString("hex"),
        expect: { answer },
      };
    });
}

/** One made by hand, and inputs that are none. */
export function madeBlobs(): BlobFixture[] {
  const whole = handMade();
  const none = (name: string, bytes: Buffer): BlobFixture => ({
    name,
    bytes: bytes.toString("hex"),
    expect: { status: STATUS.malformed },
  });
  const counting = Buffer.from(whole);
  counting.writeUInt32LE(0xffff_ffff, 16);
  const kind = Buffer.from(whole);
  kind.writeUInt32LE(2, 0);
  return [
    { name: "made by hand", bytes: whole.toString("hex"), expect: { answer: expectedBlob(whole) } },
    none("nothing", Buffer.alloc(0)),
    none("cut", whole.subarray(0, -1)),
    none("one byte more", Buffer.concat([whole, Buffer.alloc(1)])),
    none("of an unknown kind", kind),
    none("more ranges than bytes", counting),
    none("an emulator's, cut", Buffer.alloc(23)),
  ];
}

/** A module with a header, and a function whose last line entry belongs to the next. */
function handMade(): Buffer {
  const u32 = (...values: number[]): Buffer => Buffer.from(new Uint32Array(values).buffer);
  const text = (value: string, padding: number): Buffer => {
    const bytes = Buffer.from(`${value}\0`);
    return Buffer.concat([Buffer.from(new Uint16Array([bytes.length]).buffer), bytes, Buffer.alloc(padding, 0xaa)]);
  };
  const line = (offset: number, number: number, file: string): Buffer =>
    Buffer.concat([u32(offset, number), text(file, 2)]);
  return Buffer.concat([
    u32(1, 0),
    u64(0x1000),
    u32(2, 100),
    text("größe", 6),
    u32(0, 40, 0),
    text("größe::codeHeader", 2),
    u32(40, 100, 3),
    text("größe:f/1", 2),
    line(38, 7, "m.erl"),
    line(60, 8, "dir/n.hrl"),
    line(100, 12, "m.erl"),
  ]);
}
