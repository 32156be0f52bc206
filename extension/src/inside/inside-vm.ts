// One VM whose inside is looked at again and again. Knows no editor.

import type { HeapResult, InsideMemoryResult, InsideProcessesParams, InsideProcessesResult, NodeResult, Requests, TargetFacts } from "../../../contract/protocol.generated.js";
import type { Cancellation, HelperMethod } from "../helper/helper-connection.js";

/** Who looks: the helper here, or one on another host. */
export interface InsideHelper {
  request<M extends HelperMethod>(method: M, params: Requests[M]["params"], token?: Cancellation): Promise<Requests[M]["result"]>;
}

/** What is wanted of the processes, but for whose. */
export type WantedProcesses = Omit<InsideProcessesParams, "insideId">;

interface Opened {
  readonly insideId: number;
  readonly target: TargetFacts;
}

/**
 * Opened by the first question, and again by the next one after a question failed: the VM or the helper may have
 * been started anew. Questions are asked one after the other, as they are answered.
 */
export class InsideVm {
  readonly #helper: InsideHelper;
  #opened: Promise<Opened> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    helper: InsideHelper,
    readonly pid: number,
  ) {
    this.#helper = helper;
  }

  /** What the VM is. */
  async target(token?: Cancellation): Promise<TargetFacts> {
    return this.#ask(async ({ target }) => Promise.resolve(target), token);
  }

  /** @throws {HelperError} as all that follow */
  async processes(wanted: WantedProcesses, token?: Cancellation): Promise<InsideProcessesResult> {
    return this.#ask(async ({ insideId }) => this.#helper.request("extrospect/inside/processes", { ...wanted, insideId }, token), token);
  }

  /** What is on the heap of a process, by its pid as the node prints it. */
  async heap(process: string, token?: Cancellation): Promise<HeapResult> {
    return this.#ask(async ({ insideId }) => this.#helper.request("extrospect/inside/heap", { insideId, process }, token), token, false);
  }

  async memory(token?: Cancellation): Promise<InsideMemoryResult> {
    return this.#ask(async ({ insideId }) => this.#helper.request("extrospect/inside/memory", { insideId }, token), token);
  }

  /** @param lookMs how long to look at the schedulers; 0: not at all */
  async node(lookMs: number, token?: Cancellation): Promise<NodeResult> {
    return this.#ask(async ({ insideId }) => this.#helper.request("extrospect/inside/node", { insideId, lookMs }, token), token);
  }

  /** Looks no more. Nothing to do where nobody looked. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    try {
      const known = await opened;
      if (known) await this.#helper.request("extrospect/inside/close", { insideId: known.insideId });
    } catch {
      // It is closed when its helper is gone, too.
    }
  }

  /** @param endsAll whether a failure says something of the VM, and not of a process of it only */
  async #ask<T>(question: (opened: Opened) => Promise<T>, token: Cancellation | undefined, endsAll = true): Promise<T> {
    const asked = this.#last.then(async () => {
      const opened = (this.#opened ??= this.#helper.request("extrospect/inside/open", { pid: this.pid }, token));
      try {
        return await question(await opened);
      } catch (error) {
        if (endsAll && !token?.isCancellationRequested && this.#opened === opened) void this.close();
        // What could not be opened is opened by the next question.
        opened.catch(() => {
          if (this.#opened === opened) this.#opened = undefined;
        });
        throw error;
      }
    });
    this.#last = asked.catch(() => undefined);
    return asked;
  }
}
