// A substitute for the editor's source of cancellation tokens, for code that is tested without an editor.
// No vscode in here.

import type { Cancellation } from "../helper/helper-connection.js";

export class Cancelling {
  readonly #waiting = new Set<() => void>();
  #isCancelled = false;
  readonly token: Cancellation;

  constructor() {
    const isCancelled = () => this.#isCancelled;
    this.token = {
      get isCancellationRequested() {
        return isCancelled();
      },
      onCancellationRequested: (listener) => {
        this.#waiting.add(listener);
        return { dispose: () => this.#waiting.delete(listener) };
      },
    };
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    for (const listener of [...this.#waiting]) listener();
    this.#waiting.clear();
  }

  /** A token that is cancelled with either of two, and what ends the listening for that. */
  with(other: Cancellation | undefined): { readonly token: Cancellation; dispose(): void } {
    const either = new Cancelling();
    const cancel = () => {
      either.cancel();
    };
    const listening = [this.token, ...(other === undefined ? [] : [other])].map((token) => {
      if (token.isCancellationRequested) cancel();
      return token.onCancellationRequested(cancel);
    });
    return {
      token: either.token,
      dispose: () => {
        for (const each of listening) each.dispose();
      },
    };
  }
}
