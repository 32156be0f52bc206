// The helper's decoding core as a shared library, built and called through koffi.
import { basename, dirname, join } from "node:path";
import koffi from "koffi";
import { cargo, testCargoEnvironment } from "../../scripts/cargo.mjs";
import { lastLines, run } from "../../scripts/command.mjs";
import { HELPER_WORKSPACE } from "../../scripts/project.mjs";
import { artifacts, CARGO_TEST } from "../../scripts/run-tests.mjs";

/** native-helper/crates/testing/decoder-c-abi/src/status.rs */
export const STATUS = {
  ok: 0,
  nullPointer: 1,
  tooLong: 2,
  malformed: 3,
  bufferTooSmall: 4,
  notInSnapshot: 5,
  unknownRelease: 6,
  panicked: 7,
} as const;

/** An answer, or why there is none. */
export type Outcome<Answer> = { answer: Answer } | { status: number };

export interface BlobAnswer {
  emulator?: { frame_pointers: boolean; normal_exit: string };
  module?: {
    name: string;
    base: string;
    code_bytes: number;
    ranges: { start: number; end: number; name: string; lines: [offset: number, line: number, file: string][] }[];
  };
}

export interface PlaceAnswer {
  function: string;
  file: string;
  line: number;
}

export interface StackAnswer {
  complete: boolean;
  stray_words: number;
  current: PlaceAnswer | null;
  frames: { return_address: string; place: PlaceAnswer | null }[];
}

export interface DecoderLibrary {
  version: () => number;
  blob: (bytes: Buffer) => Outcome<BlobAnswer>;
  /** Blobs newest first. */
  places: (blobs: Buffer[], pcs: number[]) => Outcome<(PlaceAnswer | null)[]>;
  stack: (snapshot: Buffer, release: number, descriptor: number, process: number) => Outcome<StackAnswer>;
  /** Any of the functions with buffers of the caller's choice: for input that has to be refused. */
  rawBlob: (
    input: Buffer | null,
    inputBytes: number,
    output: Buffer | null,
    outputBytes: number,
    written: [number] | null,
  ) => number;
}

/** Builds the library where it is not up to date, and loads it. */
export async function loadDecoder(): Promise<DecoderLibrary> {
  const library = koffi.load(await buildLibrary());
  const output = "void *output, size_t output_bytes, _Out_ size_t *written";
  const version = library.func("uint32_t extrospect_decoder_version()");
  const blob = library.func(`int32_t extrospect_decode_blob(void *input, size_t input_bytes, ${output})`);
  const places = library.func(
    `int32_t extrospect_decode_places(void *input, size_t input_bytes, void *pcs, size_t pcs_bytes, ${output})`,
  );
  const stack = library.func(
    `int32_t extrospect_decode_stack(void *input, size_t input_bytes, uint32_t otp_release, uint64_t descriptor, uint64_t process, ${output})`,
  );
  return {
    version: () => version(),
    blob: (bytes) => ask((...room) => blob(bytes, bytes.length, ...room)),
    places: (blobs, pcs) => {
      const input = Buffer.concat(blobs.flatMap((bytes) => [u64(bytes.length), bytes]));
      const wanted = Buffer.concat(pcs.map(u64));
      return ask((...room) => places(input, input.length, wanted, wanted.length, ...room));
    },
    stack: (snapshot, release, descriptor, process) =>
      ask((...room) => stack(snapshot, snapshot.length, release, descriptor, process, ...room)),
    rawBlob: (input, inputBytes, room, roomBytes, written) => blob(input, inputBytes, room, roomBytes, written),
  };
}

/**
 * The workspace links statically, where cargo makes no shared libraries. So the crate is compiled as an archive too, of
 * which the linker of the system makes a shared library: code that is compiled for static programs lies at any address.
 * By the call of cargo that compiles the Rust tests, with the least of them that needs it: any other compiles all crates
 * of it anew.
 */
async function buildLibrary(): Promise<string> {
  const stdout = await succeeds(cargo(), [...CARGO_TEST, "--test", "fixtures"]);
  const files: string[] = artifacts(stdout).flatMap(({ filenames }) => filenames);
  const archive = files.find((file) => /^libdecoder_c_abi.*\.a$/.test(basename(file)));
  if (archive === undefined) throw new Error("the decoder library is not compiled as an archive");
  const library = join(dirname(archive), "libdecoder_c_abi.so");
  await succeeds("cc", ["-shared", "-o", library, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-lgcc_s"]);
  return library;
}

async function succeeds(program: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, { cwd: HELPER_WORKSPACE, env: testCargoEnvironment() });
  if (code !== 0) throw new Error(`the decoder library does not build:\n${lastLines(stderr)}`);
  return stdout;
}

/** Calls once for the length of the answer and once for the answer. */
function ask<Answer>(call: (output: Buffer | null, outputBytes: number, written: [number]) => number): Outcome<Answer> {
  const written: [number] = [0];
  const first = call(null, 0, written);
  if (first !== STATUS.bufferTooSmall) return { status: first };
  const output = Buffer.alloc(written[0]);
  const status = call(output, output.length, written);
  return status === STATUS.ok ? { answer: JSON.parse(output.toString("utf8", 0, written[0])) } : { status };
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
