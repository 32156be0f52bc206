// When the editor is notified that lenses have changed. No vscode in here.

import type { Later } from "../later.js";

/**
 * VS Code requests lenses some time after the last notification, the longer the slower requests have been,
 * and drops the request when the text loses the focus. A notification a second, as a live capture would give,
 * can therefore put off the request for ever. So none is given while a request is due; one that does not
 * come is requested again, each time after twice as long.
 */
const FIRST_WAIT_MS = 2000;
const LONGEST_WAIT_MS = 32_000;

export class LensRequests {
  /** Documents whose lenses have changed, and that the editor does not have yet. */
  readonly #due = new Set<string>();
  #forget: (() => void) | undefined;

  /** @param notify makes the editor request the lenses of all documents in sight */
  constructor(
    private readonly notify: () => void,
    private readonly later: Later,
  ) {}

  /** The lenses of these documents in sight are no longer those that the editor has; of all others they are. */
  changed(documents: readonly string[]): void {
    const wereDue = this.#due.size > 0;
    this.#due.clear();
    for (const document of documents) this.#due.add(document);
    if (this.#due.size === 0) this.#stop();
    else if (!wereDue || this.#forget === undefined) this.#notify(FIRST_WAIT_MS);
  }

  /** The editor has requested the lenses of a document, and has them. */
  answered(document: string): void {
    this.#due.delete(document);
    if (this.#due.size === 0) this.#stop();
  }

  dispose(): void {
    this.#stop();
  }

  #notify(waitMs: number): void {
    this.#stop();
    this.#forget = this.later(waitMs, () => {
      this.#forget = undefined;
      // After the longest wait the next change begins anew: lenses may be switched off in the editor.
      if (waitMs < LONGEST_WAIT_MS) this.#notify(waitMs * 2);
    });
    this.notify();
  }

  #stop(): void {
    this.#forget?.();
    this.#forget = undefined;
  }
}
