// One call of the editor's module: the helper's own code as WebAssembly, without imports. Pure: bytes in, bytes out.

/** The functions of the module; see native-helper/crates/service/editor-module. */
export type ModuleFunction =
  "builds" | "compare" | "convert" | "count" | "history" | "history_page" | "page" | "read_capture";

/** Compiled WebAssembly. */
export interface CompiledModule {
  readonly compiledWebAssembly: never;
}

/** The used part of the standard API; its types come with those of browsers, which a program of Node does not have. */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<CompiledModule>;
  instantiate(module: CompiledModule, imports: object): Promise<{ readonly exports: unknown }>;
}

interface ModuleExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly allocate: (length: number) => number;
  readonly builds: (message: number, length: number) => number;
  readonly compare: (message: number, length: number) => number;
  readonly convert: (message: number, length: number) => number;
  readonly count: (message: number, length: number) => number;
  readonly history: (message: number, length: number) => number;
  readonly history_page: (message: number, length: number) => number;
  readonly page: (message: number, length: number) => number;
  readonly read_capture: (message: number, length: number) => number;
}

const LENGTH_BYTES = 4;
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi };

/** @param bytes of a .wasm file */
export function compileModule(bytes: Uint8Array): Promise<CompiledModule> {
  return WebAssembly.compile(bytes);
}

/**
 * Calls one function in an instance of its own, so that a fault costs this call and its memory is given back.
 * @param parts the message, in pieces
 * @throws {Error} when the module fails: out of memory, or a defect in it
 */
export async function callModule(
  module: CompiledModule,
  name: ModuleFunction,
  parts: readonly Uint8Array[],
): Promise<Uint8Array> {
  const instance = await WebAssembly.instantiate(module, {});
  const exports = instance.exports as ModuleExports;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const message = exports.allocate(length);
  const room = new Uint8Array(exports.memory.buffer, message, length);
  let offset = 0;
  for (const part of parts) {
    room.set(part, offset);
    offset += part.length;
  }
  const answer = exports[name](message, length);
  // The memory may have moved while it grew.
  const { buffer } = exports.memory;
  const answerLength = new DataView(buffer).getUint32(answer, true);
  return new Uint8Array(buffer, answer + LENGTH_BYTES, answerLength).slice();
}

/** A text as JSON with its length before it, as the module takes and gives it. */
export function withLength(json: string): Uint8Array {
  const text = new TextEncoder().encode(json);
  const message = new Uint8Array(LENGTH_BYTES + text.length);
  message.set(lengthOf(text));
  message.set(text, LENGTH_BYTES);
  return message;
}

/** The length that stands before a part, as the module takes it. */
export function lengthOf(part: Uint8Array): Uint8Array {
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, part.length, true);
  return length;
}

/** The text at the start of an answer, and what follows it. */
export function splitAnswer(answer: Uint8Array): { json: string; rest: Uint8Array } {
  const length = new DataView(answer.buffer, answer.byteOffset, answer.length).getUint32(0, true);
  const end = LENGTH_BYTES + length;
  return { json: new TextDecoder().decode(answer.subarray(LENGTH_BYTES, end)), rest: answer.subarray(end) };
}
