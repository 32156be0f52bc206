// The first inputs of fuzz targets, beside the corpora that are kept.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { findProgram } from "./find-program.mjs";
import { HELPER_WORKSPACE } from "./project.mjs";

const RECORDED = join(HELPER_WORKSPACE, "crates/sampling/recorder/tests/corpus");
/** No input of a target needs more. */
export const MAX_INPUT_BYTES = 16_384;

/**
 * Inputs to begin with, beside those found in earlier runs.
 * @param {string} target
 * @returns {Buffer[]}
 */
export function seeds(target) {
  const recorded = (/** @type {string} */ name) => gunzipSync(readFileSync(join(RECORDED, "otp27", name)));
  switch (target) {
    case "proc_maps":
      return [readFileSync("/proc/self/maps").subarray(0, 4096)];
    // Hello, data, how much was received, bye.
    case "link_frames":
      return [Buffer.from("010000000901000000000000000002000000026869030000000800000000000000000400000000", "hex")];
    case "rpc_frames": {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "extrospect/attach", params: { pid: 1 } });
      return [Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`)];
    }
    // Text name, count, then a string of words: see the crate `corpus`.
    case "raw_samples": {
      const file = recorded("bif.gz");
      const at = 8 + Number(file.readBigUInt64LE(0)) + 8;
      return [file.subarray(at + 8, at + 8 + Number(file.readBigUInt64LE(at)))];
    }
    case "vm_tables":
      return [recorded("vm.gz").subarray(0, MAX_INPUT_BYTES)];
    case "process_heaps":
      return [callingProcess()];
    case "beam_file":
      return [compiledModule()];
    case "elf_image":
      return [readFileSync(process.execPath).subarray(0, MAX_INPUT_BYTES), ...libraries()];
    default:
      return [];
  }
}

/**
 * A process of OTP 27 that waits in a call: with two monitors, a link, two messages, a dictionary, a fragment and a
 * stack. After the byte that chooses the release come words; those of 0x8000 and more are places among them. The fuzz
 * target describes how they become processes.
 */
function callingProcess() {
  const words = new BigUint64Array(512);
  const at = (/** @type {number} */ word, tag = 0) => 0x8000 + 8 * word + tag;
  const put = (/** @type {number} */ first, /** @type {(number | bigint)[]} */ ...values) =>
    values.forEach((value, index) => (words[first + index] = BigInt(value)));
  const [LIST, BOXED, NIL, ATOM, SMALL, PAIR, REFERENCE, OTHER_PID] = [
    1,
    2,
    0x3b,
    0xb,
    0xf,
    2 << 6,
    (2 << 6) | (4 << 2),
    (3 << 6) | (12 << 2),
  ];
  const pid = (/** @type {number} */ number) => (number << 4) | 3;
  // The other side is in the fifth word of such a node; the sixth gives the place of the key, which is the seventh
  // word.
  const relation = (/** @type {number} */ below, /** @type {number} */ other, /** @type {number} */ key) => [
    0,
    below,
    0,
    0,
    other,
    48 << 16,
    key,
  ];
  // Its struct: links, monitors, how many arguments and where, lists of messages, dictionary, fragments.
  put(5, at(362), 0, at(224));
  put(16, 2n << 40n, at(480));
  put(39, at(238), 0, 0, 0, at(241));
  put(51, at(96));
  put(68, at(354));
  // The table of atoms begins where the words do, and has one.
  put(14, (1n << 32n) | 1024n, at(248));
  put(248, at(249), at(250), 0, 0, 0, 9, at(352));
  words.set(new BigUint64Array(Uint8Array.from(Buffer.from("shop@host".padEnd(16, "\0"))).buffer), 352);
  // The dictionary: head, a pair, and a list of two that share a slot.
  put(96, 4n << 32n, 8, 0, at(108, BOXED), NIL, at(114, LIST), NIL);
  put(108, PAIR, ATOM, SMALL, PAIR, ATOM, NIL, at(111, BOXED), at(116, LIST), at(108, BOXED), NIL);
  // Two copies of a reference, a pid of another node, and the keys of monitors and the link.
  put(118, REFERENCE, 5, 7, REFERENCE, 5, 7, OTHER_PID, at(244), 0, (7n << 32n) | 42n);
  put(224, ...relation(at(231), pid(9), at(121, BOXED)), ...relation(0, at(124, BOXED), at(124, BOXED)));
  put(362, ...relation(0, pid(10), pid(10)));
  // Messages; the name of the other node; a fragment; a stack of two frames, whose last words are searched for a
  // reference.
  put(238, at(241), 1, at(108, BOXED), 0, 0, ATOM, 0, 0, 0, ATOM);
  put(354, 0, 0, 0, 0, 2, SMALL, NIL);
  put(480, at(108, BOXED), at(114, LIST), 0xa0000);
  put(504, at(118, BOXED));
  return Buffer.concat([Buffer.of(1), Buffer.from(words.buffer)]);
}

/** A module as the compiler makes it, where there is one: with atoms, funs and literals. */
function compiledModule() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-fuzz-"));
  try {
    writeFileSync(
      join(folder, "seed.erl"),
      '-module(seed).\n-export([run/1]).\nrun(X) -> {fun() -> X end, "a literal", <<"bytes">>}.\n',
    );
    if (findProgram("erlc") === null) return Buffer.from("FOR1\0\0\0\x0cBEAMCode\0\0\0\0");
    execFileSync("erlc", ["-o", folder, join(folder, "seed.erl")]);
    return readFileSync(join(folder, "seed.beam"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Small libraries with debug information: no fuzzer invents that by itself. */
function libraries() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-fuzz-"));
  const source =
    "static inline int half(int x) { return x / 2 + 1; }\nint whole(int x) { int sum = 0; while (x > 1) sum += x = half(x); return sum; }\n";
  const flags = ["-O2", "-shared", "-nostdlib", "-Wl,-z,noseparate-code", "-x", "c", "-"];
  try {
    return ["-gdwarf-4", "-gdwarf-5"].map((version) => {
      const library = join(folder, "lib.so");
      execFileSync("cc", [version, "-o", library, ...flags], { input: source });
      return readFileSync(library);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
