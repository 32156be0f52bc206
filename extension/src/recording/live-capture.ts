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

  /** Once it has ended, its file has all of it; that it is of elsewhere only where that was noted in it. */
  get canBeReadAgain(): boolean {
    const { facts } = this.capture;
    return !this.#live && (!this.isElsewhere || facts.isFromElsewhere === true || facts.target?.hasOtherFiles === true);
  }

  /** No more samples arrive. */
  end(): void {
    this.#live = false;
  }
}
