// Tells each capture which of its functions are the user's own code.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { forLog } from "../text/error-text.js";
import { isOwnFunction, originOf, originOfRuled, type ModuleOrigin } from "./finding/code-origin.js";
import { isInstalled } from "./finding/install-folders.js";
import { placeKey, type ModulePlace } from "./finding/module-file.js";
import { isDecided, ruledSource } from "./finding/ruled-source.js";
import type { WorkspaceSources } from "./finding/workspace-sources.js";
import type { PlaceGroup } from "./mapping/capture-places.js";
import type { DocumentViews } from "./mapping/document-views.js";
import type { SourceRules } from "./rules/source-rules.js";
import type { CodeOrigin } from "./source-navigator.js";

/** Texts that are read at a time. */
const AT_A_TIME = 16;

interface Marked {
  /** By place: what the files of the workspace said. */
  readonly modules: Map<string, ModuleOrigin>;
  /** By function. */
  readonly origins: Map<number, CodeOrigin>;
  /** Functions of the capture that were told; more come while it grows. */
  told: number;
}

export class OwnCode implements vscode.Disposable {
  readonly #captures: CaptureStore;
  readonly #views: DocumentViews;
  readonly #files: WorkspaceSources;
  readonly #rules: SourceRules;
  readonly #log: vscode.LogOutputChannel;
  readonly #subscription: vscode.Disposable;
  #marked = new WeakMap<OpenCapture, Marked>();
  #working = Promise.resolve();

  constructor(captures: CaptureStore, views: DocumentViews, files: WorkspaceSources, rules: SourceRules, log: vscode.LogOutputChannel) {
    this.#captures = captures;
    this.#views = views;
    this.#files = files;
    this.#rules = rules;
    this.#log = log;
    this.#subscription = vscode.Disposable.from(
      captures.onDidChangeCurrent((opened) => void (opened && this.mark(opened))),
      captures.onDidUpdate((opened) => void this.mark(opened)),
      files.onDidChange(() => this.#startAnew()),
      rules.onDidChange(() => {
        // A rule is set once its folder is there, of which the editor may not have told each file.
        files.forget();
        this.#startAnew();
      }),
    );
  }

  /** Whose code a function is; undefined for what has no Erlang source, and until the capture was marked. */
  originOf(opened: OpenCapture, functionIndex: number): CodeOrigin | undefined {
    return this.#marked.get(opened)?.origins.get(functionIndex);
  }

  /** Done when all functions that the capture has now are told. */
  mark(opened: OpenCapture): Promise<void> {
    this.#working = this.#working
      .then(async () => {
        if (await this.#mark(opened)) this.#captures.updated(opened);
      })
      .catch((error: unknown) => this.#log.error(forLog(error)));
    return this.#working;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #startAnew(): void {
    this.#marked = new WeakMap();
    for (const { capture } of this.#captures.all) capture.forgetOwnCode();
    for (const opened of this.#captures.all) this.#captures.updated(opened);
  }

  /** @returns whether it told anything new */
  async #mark(opened: OpenCapture): Promise<boolean> {
    let marked = this.#marked.get(opened);
    if (marked === undefined) this.#marked.set(opened, (marked = { modules: new Map(), origins: new Map(), told: 0 }));
    const { modules, origins } = marked;
    const count = opened.capture.functions.length;
    if (marked.told === count) return false;
    const groups = this.#views.placesOf(opened).all();
    const command = opened.capture.facts.target?.command ?? "";
    const unknown = groups.filter(({ place }) => !modules.has(placeKey(place)));
    for (let at = 0; at < unknown.length; at += AT_A_TIME) {
      await Promise.all(
        unknown.slice(at, at + AT_A_TIME).map(async ({ place }) => {
          modules.set(placeKey(place), await this.#originOf(place, command));
        }),
      );
    }
    // Files came or went meanwhile: whoever started anew marks anew.
    if (this.#marked.get(opened) !== marked) return false;
    marked.told = count;
    const before = origins.size;
    const added = opened.capture.addOwnCode(ownFunctions(groups, modules, origins));
    return added || origins.size !== before;
  }

  async #originOf(place: ModulePlace, command: string): Promise<ModuleOrigin> {
    const namesakes = await this.#files.namesakes(place);
    const files = namesakes.map((file) => ({ ...file, isOwn: file.isOwn && !isInstalled(file, command) }));
    const ruled = await ruledSource(place, this.#rules);
    if (!isDecided(ruled)) return originOf(place, files);
    const paths = new Set(ruled.files.map(({ path }) => path));
    return originOfRuled(
      place,
      files.filter(({ path }) => paths.has(path)),
    );
  }
}

/** Functions of own code; notes whose code each function is. */
function ownFunctions(groups: readonly PlaceGroup[], modules: ReadonlyMap<string, ModuleOrigin>, origins: Map<number, CodeOrigin>): number[] {
  const ofModule = new Map<string, ModuleOrigin>();
  for (const { place } of groups) {
    const found = modules.get(placeKey(place));
    if (place.module !== "" && found?.origin.kind === "own") ofModule.set(place.module, found);
  }
  const own: number[] = [];
  for (const { place, functions } of groups) {
    const ofFile = modules.get(placeKey(place));
    if (ofFile === undefined) continue;
    const module = ofModule.get(place.module);
    for (const fn of functions) {
      const isOwn = isOwnFunction(fn, ofFile, module);
      origins.set(fn.index, isOwn ? (module ?? ofFile).origin : ofFile.origin);
      if (isOwn) own.push(fn.index);
    }
  }
  return own;
}
