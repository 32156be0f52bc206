// Reads a capture file on a thread of its own, so that the caller's stays free however large or hostile the file is.

import { Worker } from "node:worker_threads";
import { errorText, WordedError } from "../../text/error-text.js";
import { CaptureError } from "../capture-error.js";
import { captureOf } from "../capture-model.js";
import type { Capture } from "../questions.js";
import type { ThreadAnswer, ThreadTask } from "./thread-answer.js";

/**
 * A whole file: an Extrospect capture or another pprof profile, compressed or not. A missing end is no error: see
 * `CaptureFacts.isCut`.
 * @param gzip not to be used afterwards: its memory may be moved to the thread
 * @param program the bundle of capture-thread.ts
 * @param processNames by pid, instead of the names in the file
 * @throws {CaptureError} when the bytes are no capture; another error when the thread ends without an answer
 */
export function openInThread(
  gzip: Uint8Array,
  program: string,
  processNames?: ReadonlyMap<string, string>,
): Promise<Capture> {
  return new Promise((resolve, reject) => {
    const own = gzip.buffer instanceof ArrayBuffer && gzip.byteLength === gzip.buffer.byteLength ? gzip.buffer : null;
    const task: ThreadTask = processNames === undefined ? { gzip } : { gzip, processNames };
    // Arguments of the editor's own process are not for this thread.
    const worker = new Worker(program, { workerData: task, transferList: own === null ? [] : [own], execArgv: [] });
    worker.once("message", (answer: ThreadAnswer) => {
      if (answer.type === "read") resolve(captureOf(answer.parts));
      else reject(new CaptureError(answer.problem, answer.why));
    });
    worker.once("error", (error) =>
      reject(new WordedError((l10n) => l10n.t("reading it failed: {0}", errorText(error)))),
    );
    worker.once("exit", (code) =>
      reject(new WordedError((l10n) => l10n.t("reading it ended without a result (exit code {0})", code))),
    );
  });
}
