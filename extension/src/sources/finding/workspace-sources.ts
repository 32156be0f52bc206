// The source files of the workspace by their names, and which of them are the user's own.

import * as vscode from "vscode";
import { SETTINGS } from "../../contributions.js";
import { setting } from "../../settings.js";
import { fileName } from "../../text/base-name.js";
import { readText } from "../drift/source-text.js";
import { declaration, type NamesakeFile } from "./code-origin.js";
import {
  globOf,
  MOST_OTHER_ENDINGS,
  NO_SOURCES,
  SOURCE_GLOB,
  sourceBaseName,
  type ModulePlace,
} from "./module-file.js";

const MOST_FILES = 50_000;
/** Above that many files of one name no text is read to distinguish them. */
const MOST_TEXTS = 40;
/** Files come in crowds, as when a branch is changed. */
const CHANGE_PAUSE_MS = 500;

interface WorkspaceFile {
  readonly uri: vscode.Uri;
  readonly workspaceFolder: string;
  readonly isOwn: boolean;
}

type FilesByName = ReadonlyMap<string, readonly WorkspaceFile[]>;

/** Lists the workspace once, and again when files come or go. */
export class WorkspaceSources implements vscode.Disposable {
  readonly #didChange = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[] = [this.#didChange];
  /** By glob: that of all sources, and those of other files that a capture names. */
  readonly #listed = new Map<string, Promise<FilesByName>>();
  readonly #watched = new Set<string>();
  #changing: NodeJS.Timeout | undefined;

  /** Files came or went, or the definition of own code changed. */
  readonly onDidChange = this.#didChange.event;

  /** Files that have the name of the module's file. */
  async namesakes(place: ModulePlace): Promise<NamesakeFile[]> {
    const files = (await this.#filesLike(place.file))?.get(sourceBaseName(place)) ?? [];
    const reads = files.length <= MOST_TEXTS;
    return Promise.all(
      files.map(async ({ uri, workspaceFolder, isOwn }) => {
        const text = reads ? await readText(uri) : undefined;
        return {
          path: uri.path,
          workspaceFolder,
          isOwn,
          declares: text === undefined ? undefined : declaration(uri.path, text, place),
        };
      }),
    );
  }

  /** Lists the workspace anew at the next call. */
  forget(): void {
    this.#listed.clear();
  }

  dispose(): void {
    clearTimeout(this.#changing);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #filesLike(file: string): Promise<FilesByName> | undefined {
    const glob = globOf(file);
    if (glob === undefined) return undefined;
    const known = this.#listed.get(glob);
    if (known !== undefined || (glob !== SOURCE_GLOB && this.#listed.size > MOST_OTHER_ENDINGS)) return known;
    const listed = this.#list(glob);
    this.#listed.set(glob, listed);
    return listed;
  }

  async #list(glob: string): Promise<FilesByName> {
    this.#watch(glob);
    const notOwn = [...NO_SOURCES, ...setting(SETTINGS.ownCodeIgnore)];
    const [all, own] = await Promise.all([
      vscode.workspace.findFiles(glob, `{${NO_SOURCES.join(",")}}`, MOST_FILES),
      vscode.workspace.findFiles(glob, `{${notOwn.join(",")}}`, MOST_FILES),
    ]);
    const ownFiles = new Set(own.map(String));
    const byName = new Map<string, WorkspaceFile[]>();
    for (const uri of all) {
      const file = {
        uri,
        workspaceFolder: vscode.workspace.getWorkspaceFolder(uri)?.uri.path ?? "",
        isOwn: ownFiles.has(uri.toString()),
      };
      const name = fileName(uri);
      const namesakes = byName.get(name);
      if (namesakes === undefined) byName.set(name, [file]);
      else namesakes.push(file);
    }
    return byName;
  }

  #watch(glob: string): void {
    if (this.#watched.has(glob)) return;
    const isFirst = this.#watched.size === 0;
    this.#watched.add(glob);
    const watcher = vscode.workspace.createFileSystemWatcher(glob, false, true, false);
    const changed = () => {
      clearTimeout(this.#changing);
      this.#changing = setTimeout(() => {
        this.#listed.clear();
        this.#didChange.fire();
      }, CHANGE_PAUSE_MS);
    };
    this.#subscriptions.push(watcher, watcher.onDidCreate(changed), watcher.onDidDelete(changed));
    if (!isFirst) return;
    this.#subscriptions.push(
      vscode.workspace.onDidChangeWorkspaceFolders(changed),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (
          event.affectsConfiguration(`extrospect.${SETTINGS.ownCodeIgnore}`) ||
          event.affectsConfiguration("files.exclude")
        )
          changed();
      }),
    );
  }
}
