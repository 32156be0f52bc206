// From the bytes of a file to a capture, beside the editor's own thread.

import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import type { Capture } from "../capture/questions.js";
import { openInThread } from "../capture/thread/open-in-thread.js";
import type { Converted, EventOfFile } from "../../../contract/editor-module.generated.js";
import { computationFailed, convertProfile } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";
import type { ModuleFiles } from "../editor-module/module-threads.js";
import { SeveralEvents, UnreadForeignProfile } from "./foreign-errors.js";

/** How a pprof message begins: with the length of a value's type, and the type or the unit in it. */
const PPROF_BEGIN = 0x0a;
const VALUE_TYPE_FIELDS: readonly number[] = [0x08, 0x10];
/** A type and a unit are two numbers. */
const LONGEST_VALUE_TYPE = 22;
const GZIP_BEGIN = 0x1f;
/** Bytes of a file that are inflated to see how it begins: its header may have a long name. */
const LOOKED_AT_BYTES = 4096;
/** How files of `perf record` begin, in both byte orders, and old ones. */
const PERF_DATA_BEGINS: readonly string[] = ["PERFILE2", "2ELIFREP", "PERFFILE"];

/** Chooses one event of a recording that has several. @returns its name; undefined when none was chosen */
export type ChooseEvent = (events: readonly EventOfFile[]) => Promise<string | undefined>;

export interface OpenOptions {
  /** By pid, instead of the names in the file. */
  readonly processNames?: ReadonlyMap<string, string> | undefined;
  /** Without it a recording of several events is refused. */
  readonly chooseEvent?: ChooseEvent | undefined;
}

/** @param bytes not to be used afterwards @throws {CaptureError} when they are no capture, nor a profile of another tool @throws {UnreadForeignProfile} when they are one that cannot be read @throws {SeveralEvents} */
export async function openBytes(bytes: Uint8Array, { processNames, chooseEvent }: OpenOptions = {}): Promise<Capture> {
  // Beside the bundle that this is in: see scripts/build-extension.mjs.
  return openInThread(await asPprof(bytes, chooseEvent), join(__dirname, "capture-thread.cjs"), processNames);
}

/** Bytes of a pprof profile, or such as may be one. @throws {SeveralEvents} @throws {UnreadForeignProfile} */
export async function asPprof(
  bytes: Uint8Array,
  chooseEvent?: ChooseEvent,
  files: ModuleFiles = moduleFiles(),
): Promise<Uint8Array> {
  const start = startOf(bytes);
  if (start === undefined || start.length === 0 || isPprof(start)) return bytes;
  if (isPerfData(bytes)) throw new UnreadForeignProfile({ kind: "perf_data" }, "it is a perf.data file");
  const { converted, profile } = await convertProfile(files, { event: null }, bytes);
  if (converted.type !== "several_events") return pprofOf(converted, profile, bytes);
  const event = await chooseEvent?.(converted.events);
  if (event === undefined) throw new SeveralEvents(converted.events);
  const chosen = await convertProfile(files, { event }, bytes);
  return pprofOf(chosen.converted, chosen.profile, bytes);
}

/** How a possibly compressed file begins; undefined where it cannot be inflated. */
function startOf(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes[0] !== GZIP_BEGIN) return bytes;
  try {
    return gunzipSync(bytes.subarray(0, LOOKED_AT_BYTES), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

/** Surely one: a text that begins with an empty line, and OpenTelemetry's message, begin with the same byte. */
function isPprof([first, length = 0, field = 0]: Uint8Array): boolean {
  return first === PPROF_BEGIN && length <= LONGEST_VALUE_TYPE && VALUE_TYPE_FIELDS.includes(field);
}

function pprofOf(converted: Converted, profile: Uint8Array, bytes: Uint8Array): Uint8Array {
  switch (converted.type) {
    case "unread":
      throw new UnreadForeignProfile(converted.reason, converted.text);
    case "failed":
      throw computationFailed(converted.why);
    case "profile":
      return profile;
    case "as_it_is":
    case "several_events":
      return bytes;
  }
}

function isPerfData(bytes: Uint8Array): boolean {
  return PERF_DATA_BEGINS.includes(new TextDecoder("latin1").decode(bytes.subarray(0, 8)));
}
