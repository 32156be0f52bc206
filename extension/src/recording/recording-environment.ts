// What recordings of this window run in. No vscode in here.

import { open, rm } from "node:fs/promises";
import { newCapture } from "../capture/capture-model.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { HelperError } from "../helper/helper-error.js";
import type { RecordingEnvironment } from "./recording.js";

/** @param isFar the helper runs on another machine */
export function recordingEnvironment(helper: HelperConnection, isFar: boolean): RecordingEnvironment {
  return { helper, isFar, newCapture, readRange, remove, now: () => performance.now(), later };
}

export function later(run: () => void, ms: number): { dispose(): void } {
  const timer = setTimeout(run, ms);
  return {
    dispose: () => {
      clearTimeout(timer);
    },
  };
}

function remove(file: string): Promise<void> {
  return rm(file, { force: true });
}

async function readRange(file: string, from: number, to: number): Promise<Uint8Array> {
  const handle = await open(file, "r");
  try {
    const bytes = new Uint8Array(to - from);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    if (bytesRead < bytes.length) throw new HelperError("refused", "", `${file} is shorter than it should be`, "");
    return bytes;
  } finally {
    await handle.close();
  }
}
