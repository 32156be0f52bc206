// The capture that the user has chosen for all others to be compared with, and whether its file is still there.

import * as vscode from "vscode";
import { CONTEXT } from "../contributions.js";
import { fileName } from "../text/base-name.js";
import { movedPath } from "./moved-path.js";

const STATE_KEY = "extrospect.baseline";

/** The choice outlives the window, follows its file where the editor renames or moves it, and stays when the file goes: it may come back. */
export class ChosenBaseline implements vscode.Disposable {
  readonly #didChange = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  #watcher: vscode.Disposable | undefined;
  #uri: vscode.Uri | undefined;
  #isGone = false;

  /** Another capture is the baseline or none is any more, or its file went or came back. */
  readonly onDidChange = this.#didChange.event;

  constructor(private readonly state: vscode.Memento) {
    const kept = state.get<unknown>(STATE_KEY);
    if (typeof kept === "string" && kept !== "") this.#uri = vscode.Uri.parse(kept);
    this.#subscriptions = [
      this.#didChange,
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) void this.moved(oldUri, newUri);
      }),
      vscode.workspace.onDidDeleteFiles(() => void this.look()),
    ];
    this.#follow();
    void this.look();
  }

  get uri(): vscode.Uri | undefined {
    return this.#uri;
  }

  /** Whether its file is missing. */
  get isGone(): boolean {
    return this.#isGone;
  }

  is(uri: vscode.Uri): boolean {
    return this.#uri?.toString() === uri.toString();
  }

  /** @param uri undefined for no baseline */
  async choose(uri: vscode.Uri | undefined): Promise<void> {
    this.#uri = uri;
    this.#isGone = false;
    this.#follow();
    this.#didChange.fire();
    await this.state.update(STATE_KEY, uri?.toString());
  }

  /** A file or a folder has another address. */
  async moved(from: vscode.Uri, to: vscode.Uri): Promise<void> {
    const path = this.#uri?.scheme === from.scheme ? movedPath(this.#uri.path, from.path, to.path) : undefined;
    if (path !== undefined) await this.choose(to.with({ path }));
  }

  /** Finds out whether its file is there. */
  async look(): Promise<void> {
    const uri = this.#uri;
    const isGone = uri !== undefined && (await isMissing(uri));
    if (uri !== this.#uri || isGone === this.#isGone) return;
    this.#isGone = isGone;
    this.#didChange.fire();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#watcher?.dispose();
  }

  /** Other programs delete files, and bring them back. */
  #follow(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT.baselineSet, this.#uri !== undefined);
    this.#watcher?.dispose();
    this.#watcher = undefined;
    if (this.#uri === undefined) return;
    const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(this.#uri, ".."), fileName(this.#uri));
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, true);
    const look = () => void this.look();
    this.#watcher = vscode.Disposable.from(watcher, watcher.onDidCreate(look), watcher.onDidDelete(look));
  }
}

async function isMissing(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return false;
  } catch (error) {
    // One that cannot be looked at now is not missing.
    return error instanceof vscode.FileSystemError && error.code === "FileNotFound";
  }
}
