// The thread that the editor's module runs on: a program of its own, started by editor-module.ts for one call.

import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { callModule, compileModule, type ModuleFunction } from "./module-call.js";

/** What the thread is given. */
export interface ModuleCall {
  /** Path of the WebAssembly. */
  readonly module: string;
  readonly function: ModuleFunction;
  readonly parts: readonly Uint8Array[];
}

async function call(given: ModuleCall): Promise<void> {
  const module = await compileModule(await readFile(given.module));
  const answer = await callModule(module, given.function, given.parts);
  parentPort?.postMessage(answer, [answer.buffer as ArrayBuffer]);
}

void call(workerData as ModuleCall);
