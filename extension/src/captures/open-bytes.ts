// From the bytes of a file to a capture, beside the editor's own thread.

import { join } from "node:path";
import type { Capture } from "../capture/questions.js";
import { openInThread } from "../capture/thread/open-in-thread.js";

/** @param gzip not to be used afterwards @throws {CaptureError} when the bytes are no capture */
export function openBytes(gzip: Uint8Array): Promise<Capture> {
  // Beside the bundle that this is in: see scripts/build-extension.mjs.
  return openInThread(gzip, join(__dirname, "capture-thread.cjs"));
}
