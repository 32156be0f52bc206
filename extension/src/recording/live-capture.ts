// A capture that is being recorded, as the views see it.

import type * as vscode from "vscode";
import type { Capture } from "../capture/questions.js";
import type { OpenCapture } from "../captures/capture-store.js";

export class LiveCapture implements OpenCapture {
  #live = true;

  constructor(
    readonly uri: vscode.Uri,
    readonly title: string,
    readonly capture: Capture,
    /** The VM has other files than this machine: it is on another one, or in a container. */
    readonly isElsewhere: boolean,
    /** It is a detached one, which closing it does not end. */
    readonly isFollowed = false,
  ) {}

  get live(): boolean {
    return this.#live;
  }

  /** No more samples arrive. */
  end(): void {
    this.#live = false;
  }
}
