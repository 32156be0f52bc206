// The time after which work is given up, as a signal. No vscode in here.

/**
 * A signal that is aborted once the time is over. The owner disposes of it when it no longer waits.
 *
 * `AbortSignal.timeout` is no source for `AbortSignal.any`: nothing but a weak reference leads from there to it, so it is collected with its timer, and the work is never given up.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => {
      this.#controller.abort();
    }, ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
