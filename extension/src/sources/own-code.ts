// Marks for each capture which of its functions are the user's own code.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import { forLog } from "../text/error-text.js";
import { globPattern } from "../text/glob-pattern.js";
import { originOf, originOfRuled, type ModuleOrigin } from "./finding/code-origin.js";
import { isInstalled } from "./finding/install-folders.js";
import { NO_SOURCES, placeKey, type ModulePlace } from "./finding/module-file.js";
import { isDecided, ruledSource } from "./finding/ruled-source.js";
import type { WorkspaceSources } from "./finding/workspace-sources.js";
import type { DocumentViews } from "./mapping/document-views.js";
import { ownFunctionsThen } from "./own-code-then.js";
import { decidingPlaces, ownFunctions } from "./own-functions.js";
import type { SourceRules } from "./rules/source-rules.js";
import type { CodeOrigin, FolderThen } from "./source-navigator.js";

/** Texts that are read at a time. */
const AT_A_TIME = 16;

interface Marked {
  /** By place: the origins of modules, from the files of the workspace. */
  readonly modules: Map<string, ModuleOrigin>;
  /** By function. */
  readonly origins: Map<number, CodeOrigin>;
  /** How many functions of the capture are marked; more come while it grows. */
  count: number;
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

  constructor(
    captures: CaptureStore,
    views: DocumentViews,
    files: WorkspaceSources,
    rules: SourceRules,
    log: vscode.LogOutputChannel,
  ) {
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
        // A rule is set once its folder is there, of which the editor may not have reported each file.
        files.forget();
        this.#startAnew();
      }),
    );
  }

  /** The origin of a function; undefined for a function without Erlang source, and until the capture was marked. */
  originOf(opened: OpenCapture, functionIndex: number): CodeOrigin | undefined {
    return this.#marked.get(opened)?.origins.get(functionIndex);
  }

  /** Settles when all current functions of the capture are marked. */
  mark(opened: OpenCapture): Promise<void> {
    this.#working = this.#working
      .then(async () => {
        if (await this.#mark(opened)) this.#captures.updated(opened);
      })
      .catch((error: unknown) => this.#log.error(forLog(error)));
    return this.#working;
  }

  /** Functions that were own code when the capture was taken, by the files that were there then. */
  functionsThen(opened: OpenCapture, folders: readonly FolderThen[]): Promise<number[]> {
    const excluded = Object.entries(
      vscode.workspace.getConfiguration().get<Record<string, unknown>>("files.exclude", {}),
    ).flatMap(([glob, isExcluded]) => (isExcluded === true ? [glob] : []));
    const ignored = [...NO_SOURCES, ...setting(SETTINGS.ownCodeIgnore), ...excluded].map(globPattern);
    return ownFunctionsThen(this.#views.placesOf(opened).all(), folders, {
      isIgnored: (path) => ignored.some((pattern) => pattern.test(path)),
      ruledFiles: (reported) => this.#rules.filesFor(reported)?.map((path) => vscode.Uri.file(path).path),
      command: opened.capture.facts.target?.command ?? "",
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #startAnew(): void {
    this.#marked = new WeakMap();
    for (const { capture } of this.#captures.all) capture.forgetOwnCode();
    for (const opened of this.#captures.all) this.#captures.updated(opened);
  }

  /** @returns whether it found anything new */
  async #mark(opened: OpenCapture): Promise<boolean> {
    let marked = this.#marked.get(opened);
    if (marked === undefined) this.#marked.set(opened, (marked = { modules: new Map(), origins: new Map(), count: 0 }));
    const { modules, origins } = marked;
    const count = opened.capture.functions.length;
    if (marked.count === count) return false;
    const groups = this.#views.placesOf(opened).all();
    const command = opened.capture.facts.target?.command ?? "";
    const unknown = decidingPlaces(groups).filter((place) => !modules.has(placeKey(place)));
    for (let at = 0; at < unknown.length; at += AT_A_TIME) {
      await Promise.all(
        unknown.slice(at, at + AT_A_TIME).map(async (place) => {
          modules.set(placeKey(place), await this.#originOf(place, command));
        }),
      );
    }
    // Files came or went during the search: a new mark starts from the new files.
    if (this.#marked.get(opened) !== marked) return false;
    marked.count = count;
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
