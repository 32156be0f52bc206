// One panel of a history: has it made, one at a time. Knows no editor.

import type { HistoryProblem, SavedState, ToHost, ToWebview } from "../../../../contract/messages/history.js";
import { LatestAnswer } from "../page/latest-answer.js";

const MOST_FUNCTIONS = 20;

export interface HistorySessionHost {
  /**
   * @param functions those to follow
   * @param signal aborted: no caller waits for it any longer
   */
  made(
    functions: readonly string[],
    progress: (done: number, all: number) => void,
    signal: AbortSignal,
  ): Promise<ToWebview>;
  /** @param functions those that are chosen now. @returns undefined when the choice was put away */
  chosen(functions: readonly string[]): Promise<readonly string[] | undefined>;
  compare(commit: number): Promise<void>;
  /** Why it failed, in words. */
  problem(error: unknown): HistoryProblem;
  post(message: ToWebview): void;
}

export class HistorySession {
  readonly #host: HistorySessionHost;
  #functions: readonly string[] = [];
  #progress: { readonly done: number; readonly all: number } = { done: 0, all: 0 };
  #ready = false;
  readonly #latest = new LatestAnswer<ToWebview>();

  constructor(host: HistorySessionHost) {
    this.#host = host;
  }

  async receive(message: ToHost): Promise<void> {
    switch (message.type) {
      case "ready":
        this.#ready = true;
        if (this.#latest.isRunning) return this.#host.post({ type: "busy", ...this.#progress });
        if (this.#latest.last !== null) return this.#host.post(this.#latest.last);
        if (this.#functions.length === 0) this.#functions = savedFunctions(message.saved.functions);
        return this.#make();
      case "cancel":
        return this.#latest.cancel();
      case "again":
        return this.#make();
      case "chooseFunctions": {
        const chosen = await this.#host.chosen(this.#functions);
        return chosen === undefined ? undefined : this.show(chosen);
      }
      case "compare":
        return this.#host.compare(message.commit);
    }
  }

  /** Other functions, or the captures that there are by now. */
  async show(functions: readonly string[] = this.#functions): Promise<void> {
    this.#functions = functions.slice(0, MOST_FUNCTIONS);
    // A page that is not there yet requests it when it is.
    if (this.#ready) await this.#make();
  }

  dispose(): void {
    this.#ready = false;
    this.#latest.dispose();
  }

  async #make(): Promise<void> {
    const answer = await this.#latest.ask(
      ({ signal, isLatest }) => {
        const report = (done: number, all: number) => {
          if (!isLatest()) return;
          this.#progress = { done, all };
          this.#post({ type: "busy", done, all });
        };
        report(0, 0);
        return this.#host.made(this.#functions, report, signal);
      },
      (error, isCancelled, before) => {
        if (!isCancelled) return this.#host.problem(error);
        if (before?.type !== "history") return { type: "cancelled" };
        this.#functions = before.functions;
        return before;
      },
    );
    if (answer !== null) this.#post(answer);
  }

  #post(message: ToWebview): void {
    if (this.#ready) this.#host.post(message);
  }
}

/** What a page of this version or another had kept. */
function savedFunctions(saved: SavedState["functions"] | undefined): readonly string[] {
  const names = Array.isArray(saved) ? saved.filter((name): name is string => typeof name === "string") : [];
  return names.slice(0, MOST_FUNCTIONS);
}
