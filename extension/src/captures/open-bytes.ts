// From the bytes of a file to a capture, beside the editor's own thread.

import { join } from "node:path";
import type { Capture } from "../capture/questions.js";
import { openInThread } from "../capture/thread/open-in-thread.js";
import { convertProfile } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";

/** How files begin that are pprof, compressed or not; profiles of other tools are text. */
const PPROF_BEGINS = [0x1f, 0x0a];

/** @param bytes not to be used afterwards @param processNames by pid, instead of what the file calls them @throws {CaptureError} when they are no capture, nor a profile of another tool */
export async function openBytes(bytes: Uint8Array, processNames?: ReadonlyMap<string, string>): Promise<Capture> {
  // Beside the bundle that this is in: see scripts/build-extension.mjs.
  return openInThread(await asPprof(bytes), join(__dirname, "capture-thread.cjs"), processNames);
}

async function asPprof(bytes: Uint8Array): Promise<Uint8Array> {
  const [first] = bytes;
  if (first === undefined || PPROF_BEGINS.includes(first)) return bytes;
  const { converted, profile } = await convertProfile(moduleFiles(), bytes);
  if (converted.type === "profile") return profile;
  return bytes;
}
