// The captures that are open, live or from a file, and the one all views show.

import * as vscode from "vscode";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { Capture } from "../capture/questions.js";
import { later } from "../later.js";
import { CaptureUse } from "./capture-use.js";
import { openWithFile } from "./file-in-use.js";

/** One open capture. The object stays the same while the capture grows. */
export interface OpenCapture {
  readonly uri: vscode.Uri;
  /** Shown: `shop@localhost · 14:03`. */
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
  /** Its file alone brings it back as it is, so that it may leave memory when nothing shows it. */
  readonly canBeReadAgain?: boolean;
}

/**
 * Owns the open captures. Every view of samples reads `current` from it and listens. Of captures that are neither in
 * view nor held, those used last stay for a while; the others leave memory, and are read again when they are opened.
 */
export class CaptureStore implements vscode.Disposable {
  readonly #open = new Map<string, OpenCapture>();
  readonly #didChangeCurrent = new vscode.EventEmitter<OpenCapture | undefined>();
  readonly #didUpdate = new vscode.EventEmitter<OpenCapture>();
  readonly #didClose = new vscode.EventEmitter<OpenCapture>();
  readonly #didMove = new vscode.EventEmitter<{ readonly from: vscode.Uri; readonly to: vscode.Uri }>();
  readonly #didSelectFunction = new vscode.EventEmitter<OpenCapture>();
  readonly #didToggleHeat = new vscode.EventEmitter<void>();
  readonly #didShowType = new vscode.EventEmitter<OpenCapture>();
  /** The type of samples that the user has chosen for a capture, by address: also for one that is read again. */
  readonly #types = new Map<string, SampleTypeId>();
  /** Captures whose heat the user does not want to see, by address. */
  readonly #heatHidden = new Set<string>();
  /** The function that is selected in the views of a capture, by address: its index in the capture. */
  readonly #selected = new Map<string, number>();
  readonly #use = new CaptureUse();
  #cancelLetGo: () => void = () => {};
  #current: OpenCapture | undefined;

  /** Another capture came into view, or none is in view any more. */
  readonly onDidChangeCurrent = this.#didChangeCurrent.event;
  /** An open capture got more samples, or ended. */
  readonly onDidUpdate = this.#didUpdate.event;
  /** It is not open any more: closed, or out of use for long. */
  readonly onDidClose = this.#didClose.event;
  /** Its file has another name. The capture at the former address closes afterwards. */
  readonly onDidMove = this.#didMove.event;
  /** Another function of this capture is selected, in one of its views or in the source. */
  readonly onDidSelectFunction = this.#didSelectFunction.event;
  /** The heat of the capture in view was hidden, or shown again. */
  readonly onDidToggleHeat = this.#didToggleHeat.event;
  /** All answers of this open capture are of another type of samples now. `onDidUpdate` follows. */
  readonly onDidShowType = this.#didShowType.event;

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

  /** The open capture that has this file, alone or among those of several VMs; one that is still being written first. */
  withFile(uri: vscode.Uri): OpenCapture | undefined {
    return openWithFile(this.#open.values(), uri.toString());
  }

  /** Adds a capture, or replaces the one of the same file, and shows it. */
  show(opened: OpenCapture): void {
    if (this.#current === opened) return;
    this.#put(opened);
    if (this.#current !== undefined) this.#use.used(this.#current.uri.toString());
    this.#use.used(opened.uri.toString());
    this.#current = opened;
    this.#didChangeCurrent.fire(opened);
    void this.#letGo();
  }

  /** Keeps the capture of an address in memory, now or once it is open, until the answer is disposed of. */
  hold(uri: vscode.Uri): vscode.Disposable {
    const end = this.#use.hold(uri.toString());
    return new vscode.Disposable(() => {
      end();
      void this.#letGo();
    });
  }

  /** Puts a capture in the place of the one of the same file. It comes into view only when that one was in view. */
  replace(opened: OpenCapture): void {
    const before = this.get(opened.uri);
    if (before === undefined) return;
    if (before === this.#current) this.show(opened);
    else this.#put(opened);
  }

  /** Adds a capture for something that is not in front: the one in view stays. */
  keep(opened: OpenCapture): void {
    if (this.get(opened.uri) !== undefined) return;
    this.#put(opened);
    this.#use.used(opened.uri.toString());
    this.updated(opened);
  }

  /** Its file has another name: what shows it shows `moved` from now on. */
  move(opened: OpenCapture, moved: OpenCapture): void {
    this.keep(moved);
    this.#didMove.fire({ from: opened.uri, to: moved.uri });
    if (this.#current === opened) this.show(moved);
    this.close(opened.uri);
  }

  /** Index of the function that is selected in the views of a capture; undefined for none. */
  selectedFunction({ uri }: OpenCapture): number | undefined {
    return this.#selected.get(uri.toString());
  }

  selectFunction(opened: OpenCapture, functionIndex: number): void {
    const address = opened.uri.toString();
    if (this.get(opened.uri) !== opened || this.#selected.get(address) === functionIndex) return;
    this.#selected.set(address, functionIndex);
    this.#didSelectFunction.fire(opened);
  }

  /** Shows another type of the samples of a capture, in all its views. Nothing changes where it has none of it. */
  showType(opened: OpenCapture, type: SampleTypeId): void {
    if (!opened.capture.show(type) || this.get(opened.uri) !== opened) return;
    this.#types.set(opened.uri.toString(), type);
    this.#didShowType.fire(opened);
    this.updated(opened);
  }

  #put(opened: OpenCapture): void {
    const address = opened.uri.toString();
    this.#open.set(address, opened);
    const type = this.#types.get(address);
    if (type !== undefined) opened.capture.show(type);
  }

  updated(opened: OpenCapture): void {
    if (this.get(opened.uri) !== opened) return;
    this.#use.stillUsed(opened.uri.toString());
    this.#didUpdate.fire(opened);
    if (!opened.live) void this.#letGo();
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
    this.#use.forget(uri.toString());
    this.#heatHidden.delete(uri.toString());
    this.#types.delete(uri.toString());
    this.#selected.delete(uri.toString());
    if (this.#current === closed) {
      this.#current = this.all.at(-1);
      this.#didChangeCurrent.fire(this.#current);
    }
    this.#didClose.fire(closed);
  }

  /** Drops captures that have been out of use for long, now and when their time comes. */
  async #letGo(): Promise<void> {
    this.#cancelLetGo();
    const inMs = this.#use.untilNextMs((address) => this.#mayGo(address));
    this.#cancelLetGo = inMs === undefined ? () => {} : later(inMs, () => void this.#letGo());
    for (const address of this.#outOfUse()) {
      const opened = this.#open.get(address);
      // It may have come into use during the check for its file.
      if (opened === undefined || !(await isThere(opened.uri)) || !this.#outOfUse().includes(address)) continue;
      this.#open.delete(address);
      this.#use.forget(address);
      this.#selected.delete(address);
      this.#didClose.fire(opened);
    }
  }

  #outOfUse(): string[] {
    return this.#use.beyond((address) => this.#mayGo(address));
  }

  #mayGo(address: string): boolean {
    const opened = this.#open.get(address);
    return opened !== undefined && opened !== this.#current && !opened.live && opened.canBeReadAgain === true;
  }

  dispose(): void {
    this.#cancelLetGo();
    this.#didChangeCurrent.dispose();
    this.#didUpdate.dispose();
    this.#didClose.dispose();
    this.#didMove.dispose();
    this.#didSelectFunction.dispose();
    this.#didToggleHeat.dispose();
    this.#didShowType.dispose();
  }
}

/** What lost its file is nowhere but in memory. */
async function isThere(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
