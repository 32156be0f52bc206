// Threads that call functions of the editor's module.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { errorText, WordedError } from "../text/error-text.js";
import type { ModuleCall } from "./editor-module-thread.js";
import { compileModule, type CompiledModule, type ModuleFunction } from "./module-call.js";

/** Where the parts of the product are that a call needs. */
export interface ModuleFiles {
  /** The WebAssembly. */
  readonly module: string;
  /** The bundle of editor-module-thread.ts. */
  readonly thread: string;
  /** The helper, where it is in this package and runs here: the same code, three times as fast. */
  readonly helper?: string | undefined;
}

/**
 * Has threads for as long as they are used.
 * @param use gets what starts one
 * @param signal ends them
 */
export async function withThreads<T>(
  files: ModuleFiles,
  signal: AbortSignal | undefined,
  use: (start: () => ModuleThread) => Promise<T>,
): Promise<T> {
  const isCancelled = (): boolean => signal?.aborted === true;
  if (isCancelled()) throw new Error("cancelled");
  // Compiled once for all, while they start.
  const module = readFile(files.module).then(compileModule);
  const threads: ModuleThread[] = [];
  const start = (): ModuleThread => {
    const thread = new ModuleThread(files.thread, module);
    threads.push(thread);
    return thread;
  };
  const end = (): void => threads.forEach((thread) => thread.end());
  signal?.addEventListener("abort", end, { once: true });
  try {
    return await use(start);
  } catch (error) {
    throw isCancelled() ? new Error("cancelled") : error;
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
}

/** A thread that does one call after the other. */
export class ModuleThread {
  readonly #worker: Worker;
  readonly #module: Promise<CompiledModule>;
  readonly #ended: Promise<never>;

  constructor(program: string, module: Promise<CompiledModule>) {
    // Arguments of the editor's own process are not for this thread.
    const worker = new Worker(program, { execArgv: [] });
    this.#worker = worker;
    this.#module = module;
    this.#ended = new Promise((_, reject) => {
      worker.once("error", (error) =>
        reject(new WordedError((l10n) => l10n.t("the computation failed: {0}", errorText(error)))),
      );
      worker.once("exit", (code) =>
        reject(new WordedError((l10n) => l10n.t("the computation ended without a result (exit code {0})", code))),
      );
    });
    // The waiting call receives the error, if there is one.
    this.#ended.catch(() => {});
  }

  /**
   * @param parts the message, in pieces; they are copied
   * @param moved those of them that are moved to the thread instead: they cannot be used afterwards, and have memory of
   * their own
   */
  async call(
    name: ModuleFunction,
    parts: readonly Uint8Array[],
    moved: readonly Uint8Array[] = [],
  ): Promise<Uint8Array> {
    const call: ModuleCall = { module: await this.#module, function: name, parts };
    const answer = new Promise<Uint8Array>((resolve) => this.#worker.once("message", resolve));
    this.#worker.postMessage(
      call,
      moved.map(({ buffer }) => buffer as ArrayBuffer),
    );
    return Promise.race([answer, this.#ended]);
  }

  end(): void {
    void this.#worker.terminate();
  }
}
