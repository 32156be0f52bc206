// Keeps the view of each open document on the capture in view: which functions it holds, and where their lines are now.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../../captures/capture-store.js";
import { fileName } from "../../text/base-name.js";
import type { BaselineStore } from "../drift/baseline-store.js";
import { chooseBaseline, stillFits, type Baseline, type TextCandidate } from "../drift/baseline.js";
import { commitTexts } from "../drift/commit-texts.js";
import { readText } from "../drift/source-text.js";
import { placeKey, sourceBaseName, type ModulePlace } from "../finding/module-file.js";
import type { SourceFinder } from "../finding/source-finder.js";
import { CapturePlaces, type PlacedFunction } from "./capture-places.js";
import { DocumentView, supersededOf } from "./document-view.js";
import type { RuleUse } from "../rule-use.js";
import { symbolLine, type NamedSymbol } from "./symbol-line.js";

interface FileState {
  /** Functions of all modules with a file of this name, those of other files too. */
  readonly namesakes: number;
  readonly functions: readonly PlacedFunction[];
  readonly baseline: Baseline | undefined;
  readonly rule: RuleUse | undefined;
}

interface DocumentState {
  readonly view: DocumentView;
  readonly version: number;
  readonly file: FileState;
}

export class DocumentViews implements vscode.Disposable {
  readonly #finder: SourceFinder;
  readonly #store: BaselineStore;
  readonly #places = new WeakMap<OpenCapture, CapturePlaces>();
  readonly #files = new WeakMap<OpenCapture, Map<string, FileState>>();
  readonly #documents = new WeakMap<OpenCapture, WeakMap<vscode.TextDocument, DocumentState>>();
  readonly #pending = new Map<string, Promise<FileState>>();
  readonly #subscription: vscode.Disposable;
  #searches = 0;

  constructor(finder: SourceFinder, store: BaselineStore, captures: CaptureStore) {
    this.#finder = finder;
    this.#store = store;
    this.#subscription = finder.onDidChange(() => {
      this.#searches++;
      for (const opened of captures.all) this.#files.delete(opened);
    });
  }

  placesOf(opened: OpenCapture): CapturePlaces {
    let places = this.#places.get(opened);
    if (places === undefined) this.#places.set(opened, (places = new CapturePlaces(opened.capture)));
    return places;
  }

  /** Heads that a capture reports of a module now, without those of code that has been replaced since. */
  headsOf(opened: OpenCapture, place: ModulePlace): readonly PlacedFunction[] {
    const key = placeKey(place);
    const group = this.placesOf(opened)
      .withBaseName(sourceBaseName(place))
      .find((each) => placeKey(each.place) === key);
    if (group === undefined) return [];
    const superseded = supersededOf(group.functions);
    return group.functions.filter((fn) => !superseded.has(fn));
  }

  /** The view of a document as it is now; undefined when the capture has nothing in it. Cheap when neither text nor functions changed. */
  async view(opened: OpenCapture, document: vscode.TextDocument): Promise<DocumentView | undefined> {
    const file = await this.fileState(opened, document.uri);
    if (file.functions.length === 0) return undefined;
    let documents = this.#documents.get(opened);
    if (documents === undefined) this.#documents.set(opened, (documents = new WeakMap()));
    const known = documents.get(document);
    if (known !== undefined && known.file === file && known.version === document.version) return known.view;
    const { version } = document;
    const text = document.getText();
    let view = new DocumentView(document.uri.path, text, file.functions, file.baseline);
    if (file.functions.some((fn) => view.needsSymbols(fn))) {
      const symbols = await documentSymbols(document);
      if (symbols.length > 0)
        view = new DocumentView(document.uri.path, text, file.functions, file.baseline, (fn) =>
          symbolLine(symbols, fn),
        );
    }
    view.rule = file.rule;
    documents.set(document, { view, version, file });
    return view;
  }

  /** Functions of the capture in a file, and the text they fit. */
  async fileState(opened: OpenCapture, uri: vscode.Uri): Promise<FileState> {
    const known = this.#files.get(opened)?.get(uri.toString());
    const name = fileName(uri);
    const groups = this.placesOf(opened).withBaseName(name);
    if (known !== undefined && known.namesakes === countOf(groups)) return known;
    const key = `${opened.uri.toString()} ${uri.toString()} ${countOf(groups)} ${this.#searches}`;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const working = this.#readState(opened, uri, known).finally(() => this.#pending.delete(key));
    this.#pending.set(key, working);
    return working;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #readState(opened: OpenCapture, uri: vscode.Uri, known: FileState | undefined): Promise<FileState> {
    const name = fileName(uri);
    const functions: PlacedFunction[] = [];
    let rule: RuleUse | undefined;
    const groups = this.placesOf(opened).withBaseName(name);
    const namesakes = countOf(groups);
    for (const { place, functions: placed } of groups) {
      const found = await this.#finder.find(place, opened);
      if (found.file?.toString() !== uri.toString()) continue;
      functions.push(...placed);
      rule ??= found.rule;
    }
    const baseline = functions.length === 0 ? undefined : await this.#baseline(opened, uri, functions, known?.baseline);
    const state = { namesakes, functions, baseline, rule };
    let files = this.#files.get(opened);
    if (files === undefined) this.#files.set(opened, (files = new Map()));
    files.set(uri.toString(), state);
    return state;
  }

  async #baseline(
    opened: OpenCapture,
    uri: vscode.Uri,
    functions: readonly PlacedFunction[],
    known: Baseline | undefined,
  ): Promise<Baseline | undefined> {
    const superseded = supersededOf(functions);
    const heads = functions.filter((fn) => !superseded.has(fn));
    if (known !== undefined && stillFits(known, heads)) return known;
    const store = this.#store;
    const { capture } = opened;
    async function* candidates(): AsyncGenerator<TextCandidate> {
      // The text that was saved for this capture fitted it once; text on disk that was edited since may fit by
      // accident.
      yield { origin: "saved", read: () => store.read(capture, opened.uri, uri) };
      yield { origin: "disk", read: () => readText(uri) };
      yield* commitTexts(uri);
    }
    const baseline = await chooseBaseline(uri.path, heads, candidates());
    if (baseline !== undefined && baseline.origin !== "saved") void store.save(capture, opened.uri, uri, baseline.text);
    return baseline;
  }
}

function countOf(groups: readonly { readonly functions: readonly unknown[] }[]): number {
  return groups.reduce((sum, { functions }) => sum + functions.length, 0);
}

async function documentSymbols(document: vscode.TextDocument): Promise<NamedSymbol[]> {
  try {
    const symbols = await vscode.commands.executeCommand<
      (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
    >("vscode.executeDocumentSymbolProvider", document.uri);
    return (symbols ?? []).map(namedSymbol);
  } catch {
    return []; // Errors of a language server are not for this extension to report.
  }
}

function namedSymbol(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): NamedSymbol {
  if (!("children" in symbol)) return { name: symbol.name, line: symbol.location.range.start.line + 1, children: [] };
  return { name: symbol.name, line: symbol.selectionRange.start.line + 1, children: symbol.children.map(namedSymbol) };
}
