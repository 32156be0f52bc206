// What fuzz targets begin with, beside the corpora that are kept.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { findProgram } from "./command.mjs";
import { HELPER_WORKSPACE } from "./project.mjs";

const RECORDED = join(HELPER_WORKSPACE, "crates/recorder/tests/corpus");
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
    case "beam_file":
      return [compiledModule()];
    case "elf_image":
      return [readFileSync(process.execPath).subarray(0, MAX_INPUT_BYTES), ...libraries()];
    default:
      return [];
  }
}

/** A module as the compiler makes it, where there is one: with atoms, funs and literals. */
function compiledModule() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-fuzz-"));
  try {
    writeFileSync(join(folder, "seed.erl"), '-module(seed).\n-export([run/1]).\nrun(X) -> {fun() -> X end, "a literal", <<"bytes">>}.\n');
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
  const source = "static inline int half(int x) { return x / 2 + 1; }\nint whole(int x) { int sum = 0; while (x > 1) sum += x = half(x); return sum; }\n";
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
