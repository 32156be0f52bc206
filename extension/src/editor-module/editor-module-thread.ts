// The thread that the editor's module runs on: a program of its own, started by module-threads.ts for some calls, one after the other.

import { parentPort } from "node:worker_threads";
import { callModule, type CompiledModule, type ModuleFunction } from "./module-call.js";

/** What the thread is given. */
export interface ModuleCall {
  readonly module: CompiledModule;
  readonly function: ModuleFunction;
  readonly parts: readonly Uint8Array[];
}

async function call(given: ModuleCall): Promise<void> {
  const answer = await callModule(given.module, given.function, given.parts);
  parentPort?.postMessage(answer, [answer.buffer as ArrayBuffer]);
}

parentPort?.on("message", (given: ModuleCall) => void call(given));
