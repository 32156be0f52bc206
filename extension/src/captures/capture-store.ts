// The captures that are open, live or from a file, and the one all views show.

import * as vscode from "vscode";
import type { Capture } from "../capture/questions.js";

/** One open capture. The object stays the same while the capture grows. */
export interface OpenCapture {
  readonly uri: vscode.Uri;
  /** Shown: `shop@localhost, 14:03`. */
  readonly title: string;
  readonly capture: Capture;
  /** Whether samples still arrive. */
  readonly live: boolean;
  /** It grows and is nothing that this window records: closing it does not end it. */
  readonly isFollowed?: boolean;
  /** Known while it is taken, and as long as it is open then: the VM has other files than this machine, as it is on another one or in a container. */
  readonly isElsewhere?: boolean;
  /** The file of each node, when it is of several; then `uri` is no file. */
  readonly files?: ReadonlyMap<string, vscode.Uri>;
}

/** Owns the open captures. Everything that shows samples asks it for `current` and listens. */
export class CaptureStore implements vscode.Disposable {
  readonly #open = new Map<string, OpenCapture>();
  readonly #didChangeCurrent = new vscode.EventEmitter<OpenCapture | undefined>();
  readonly #didUpdate = new vscode.EventEmitter<OpenCapture>();
  readonly #didClose = new vscode.EventEmitter<OpenCapture>();
  readonly #didToggleHeat = new vscode.EventEmitter<void>();
  /** Captures whose heat the user does not want to see, by address. */
  readonly #heatHidden = new Set<string>();
  #current: OpenCapture | undefined;

  /** Another capture came into view, or none is in view any more. */
  readonly onDidChangeCurrent = this.#didChangeCurrent.event;
  /** An open capture got more samples, or ended. */
  readonly onDidUpdate = this.#didUpdate.event;
  readonly onDidClose = this.#didClose.event;
  /** The heat of the capture in view was hidden, or shown again. */
  readonly onDidToggleHeat = this.#didToggleHeat.event;

  get current(): OpenCapture | undefined {
    return this.#current;
  }

  /** The capture that colours the sources: the one in view, unless its heat is hidden. */
  get onSources(): OpenCapture | undefined {
    return this.isHeatShown ? this.#current : undefined;
  }

  /** Whether the heat of the capture in view is shown. */
  get isHeatShown(): boolean {
    return this.#current === undefined || !this.#heatHidden.has(this.#current.uri.toString());
  }

  get all(): readonly OpenCapture[] {
    return [...this.#open.values()];
  }

  get(uri: vscode.Uri): OpenCapture | undefined {
    return this.#open.get(uri.toString());
  }

  /** Adds a capture, or replaces the one of the same file, and shows it. */
  show(opened: OpenCapture): void {
    if (this.#current === opened) return;
    this.#open.set(opened.uri.toString(), opened);
    this.#current = opened;
    this.#didChangeCurrent.fire(opened);
  }

  /** Puts a capture in the place of the one of the same file. It comes into view only when that one was in view. */
  replace(opened: OpenCapture): void {
    const before = this.get(opened.uri);
    if (before === undefined) return;
    if (before === this.#current) this.show(opened);
    else this.#open.set(opened.uri.toString(), opened);
  }

  updated(opened: OpenCapture): void {
    if (this.get(opened.uri) === opened) this.#didUpdate.fire(opened);
  }

  /** Hides the heat of the capture in view, or shows it again. Another capture that comes into view shows its own. */
  setHeatShown(isShown: boolean): void {
    if (this.#current === undefined || isShown === this.isHeatShown) return;
    const address = this.#current.uri.toString();
    if (isShown) this.#heatHidden.delete(address);
    else this.#heatHidden.add(address);
    this.#didToggleHeat.fire();
  }

  /** Forgets a capture; the file stays. The one opened last before it comes into view. */
  close(uri: vscode.Uri): void {
    const closed = this.get(uri);
    if (closed === undefined) return;
    this.#open.delete(uri.toString());
    this.#heatHidden.delete(uri.toString());
    if (this.#current === closed) {
      this.#current = this.all.at(-1);
      this.#didChangeCurrent.fire(this.#current);
    }
    this.#didClose.fire(closed);
  }

  dispose(): void {
    this.#didChangeCurrent.dispose();
    this.#didUpdate.dispose();
    this.#didClose.dispose();
    this.#didToggleHeat.dispose();
  }
}
