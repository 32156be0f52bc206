// What the annotations ask: where samples are in the documents of the editor.

import * as vscode from "vscode";
import type { OpenCapture } from "../../captures/capture-store.js";
import type { SourceFinder } from "../finding/source-finder.js";
import type { PlaceGroup } from "./capture-places.js";
import type { DocumentView } from "./document-view.js";
import type { DocumentViews } from "./document-views.js";
import { mapFile } from "./map-file.js";
import type { FileMapper, MappedFile } from "../mapped-file.js";

/** Modules whose files are looked for: the hottest ones. */
const MOST_MODULES = 100;
/** Searches of the workspace at a time. */
const AT_A_TIME = 6;

export class DocumentMapper implements FileMapper {
  readonly #finder: SourceFinder;
  readonly #views: DocumentViews;
  readonly #mapped = new WeakMap<DocumentView, { readonly revision: number; readonly file: MappedFile }>();

  readonly onDidChange: vscode.Event<void>;

  constructor(finder: SourceFinder, views: DocumentViews) {
    this.#finder = finder;
    this.#views = views;
    this.onDidChange = finder.onDidChange;
  }

  async map(document: vscode.TextDocument, opened: OpenCapture): Promise<MappedFile | undefined> {
    if (document.uri.scheme !== "file") return undefined;
    const view = await this.#views.view(opened, document);
    if (view === undefined) return undefined;
    const { revision } = opened.capture;
    const known = this.#mapped.get(view);
    if (known?.revision === revision) return known.file;
    const file = mapFile(opened.capture, view);
    this.#mapped.set(view, { revision, file });
    return file;
  }

  async filesOf(opened: OpenCapture): Promise<readonly vscode.Uri[]> {
    const self = ({ functions }: PlaceGroup): number => functions.reduce((sum, { index }) => sum + opened.capture.functionCounts(index).self, 0);
    const hottest = this.#views
      .placesOf(opened)
      .all()
      .map((group) => ({ place: group.place, self: self(group) }))
      .filter((group) => group.self > 0)
      .sort((a, b) => b.self - a.self)
      .slice(0, MOST_MODULES);
    const files = new Map<string, { uri: vscode.Uri; self: number }>();
    for (let at = 0; at < hottest.length; at += AT_A_TIME) {
      const some = hottest.slice(at, at + AT_A_TIME);
      const found = await Promise.all(some.map(({ place }) => this.#finder.find(place, opened)));
      for (const [index, { file }] of found.entries()) {
        if (file === undefined || vscode.workspace.getWorkspaceFolder(file) === undefined) continue;
        const known = files.get(file.toString());
        files.set(file.toString(), { uri: file, self: (known?.self ?? 0) + (some[index]?.self ?? 0) });
      }
    }
    return [...files.values()].sort((a, b) => b.self - a.self).map(({ uri }) => uri);
  }
}
