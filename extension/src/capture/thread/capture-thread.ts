// The thread that reads a capture file: a program of its own, started by open-in-thread.ts for one file.

import { parentPort, workerData } from "node:worker_threads";
import { CaptureError } from "../capture-error.js";
import { readCapture } from "../capture-model.js";
import { columnsIn, type ThreadAnswer, type ThreadTask } from "./thread-answer.js";

async function read({ gzip, processNames }: ThreadTask): Promise<void> {
  let answer: ThreadAnswer;
  try {
    answer = { type: "read", parts: await readCapture(gzip, processNames) };
  } catch (error) {
    // Anything else ends the thread, and the code that started it receives the error.
    if (!(error instanceof CaptureError)) throw error;
    answer = { type: "unreadable", problem: error.problem, why: error.why };
  }
  parentPort?.postMessage(answer, answer.type === "read" ? columnsIn(answer.parts) : []);
}

void read(workerData as ThreadTask);
