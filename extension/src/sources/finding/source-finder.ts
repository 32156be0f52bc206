// From a module to its file in the workspace, or in an installation.

import * as vscode from "vscode";
import type { CaptureStore } from "../../captures/capture-store.js";
import { readText } from "../drift/source-text.js";
import { InstalledSources } from "./installed-sources.js";
import { declaresModule, placeKey, SOURCE_GLOB, sourceBaseName, type ModulePlace } from "./module-file.js";
import { chooseSource, commonTail, type SourceCandidate } from "./path-likeness.js";
import type { SourcePicks } from "./source-picks.js";

export interface FoundSource {
  readonly file: vscode.Uri | undefined;
  /** When none is better than the others; the user has to tell. */
  readonly ambiguous: readonly vscode.Uri[];
}

const EXCLUDED = "**/{node_modules,.git,.elixir_ls,.erlang_ls}/**";
const MAX_FILES = 200;
/** Above that many files of one name no text is read to tell them apart. */
const MAX_TEXTS = 40;

/** Answers from memory until files come or go. */
export class SourceFinder implements vscode.Disposable {
  readonly #found = new Map<string, Promise<FoundSource>>();
  readonly #installed = new InstalledSources();
  readonly #picks: SourcePicks;
  readonly #captures: CaptureStore;
  readonly #subscriptions: vscode.Disposable[] = [];
  readonly #didChange = new vscode.EventEmitter<void>();
  #watches = false;

  /** Answers may differ from those given so far. */
  readonly onDidChange = this.#didChange.event;

  constructor(picks: SourcePicks, captures: CaptureStore) {
    this.#picks = picks;
    this.#captures = captures;
    this.#subscriptions.push(this.#didChange, captures.onDidChangeCurrent(() => this.#forgetMissing()));
  }

  find(place: ModulePlace): Promise<FoundSource> {
    this.#watch();
    const key = placeKey(place);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const search = this.#search(place);
    this.#found.set(key, search);
    search.catch(() => this.#found.delete(key));
    return search;
  }

  /** Looks everything up anew. */
  forget(): void {
    this.#found.clear();
    this.#installed.forget();
    this.#didChange.fire();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #search(place: ModulePlace): Promise<FoundSource> {
    const picked = this.#picks.get(place);
    if (picked !== undefined && (await exists(vscode.Uri.parse(picked)))) return { file: vscode.Uri.parse(picked), ambiguous: [] };
    const name = sourceBaseName(place);
    if (name === "") return { file: undefined, ambiguous: [] };
    const files = await vscode.workspace.findFiles(`**/${globLiteral(name)}`, EXCLUDED, MAX_FILES);
    const candidates = await candidatesOf(files, place);
    const inWorkspace = choose(place, candidates.filter(mayDeclare));
    if (isAnswer(inWorkspace)) return inWorkspace;
    const command = this.#captures.current?.capture.facts.target?.command ?? "";
    const installed = choose(place, (await candidatesOf(await this.#installed.find(name, command), place)).filter(mayDeclare));
    if (isAnswer(installed) || !place.isElixir) return installed;
    // Macros make modules that no text names.
    return choose(place, candidates.filter((candidate) => commonTail(place.file, candidate.path) > 1));
  }

  #watch(): void {
    if (this.#watches) return;
    this.#watches = true;
    const watcher = vscode.workspace.createFileSystemWatcher(SOURCE_GLOB, false, true, false);
    const changed = (uri: vscode.Uri): void => {
      const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
      let changes = false;
      for (const key of [...this.#found.keys()]) if (key.endsWith(name)) changes = this.#found.delete(key);
      if (changes) this.#didChange.fire();
    };
    this.#subscriptions.push(watcher, watcher.onDidCreate(changed), watcher.onDidDelete(changed), vscode.workspace.onDidChangeWorkspaceFolders(() => this.forget()));
  }

  /** Another VM may come with another installation. */
  #forgetMissing(): void {
    for (const [key, search] of this.#found) {
      void search.then(
        (found) => {
          if (found.file === undefined && this.#found.get(key) === search) this.#found.delete(key);
        },
        () => {},
      );
    }
  }
}

async function candidatesOf(files: readonly vscode.Uri[], place: ModulePlace): Promise<SourceCandidate<vscode.Uri>[]> {
  const reads = files.length <= MAX_TEXTS;
  return Promise.all(files.map((file) => candidateOf(file, place, reads)));
}

/** A file that holds another module is no answer, however alike its path is. */
function mayDeclare(candidate: SourceCandidate<vscode.Uri>): boolean {
  return candidate.declaresModule !== false;
}

function choose(place: ModulePlace, candidates: readonly SourceCandidate<vscode.Uri>[]): FoundSource {
  const { best } = chooseSource(place.file, candidates);
  if (best.length > 1) return { file: undefined, ambiguous: best.map(({ file }) => file) };
  return { file: best[0]?.file, ambiguous: [] };
}

function isAnswer(found: FoundSource): boolean {
  return found.file !== undefined || found.ambiguous.length > 0;
}

async function candidateOf(file: vscode.Uri, place: ModulePlace, reads: boolean): Promise<SourceCandidate<vscode.Uri>> {
  const text = reads ? await readText(file) : undefined;
  return {
    file,
    path: file.path,
    relative: vscode.workspace.getWorkspaceFolder(file) === undefined ? undefined : vscode.workspace.asRelativePath(file, false),
    declaresModule: text === undefined ? undefined : declaresModule(file.path, text, place),
  };
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Names of modules are free text: what a glob takes for more than itself stands for any one character. */
function globLiteral(name: string): string {
  return name.replaceAll(/[*?[\]{}!\\,]/g, "?");
}
