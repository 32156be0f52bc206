// What the annotations ask: where samples are in the documents of the editor.

import * as vscode from "vscode";
import type { OpenCapture } from "../../captures/capture-store.js";
import { attributionOf } from "../../captures/attribution.js";
import type { SourceFinder } from "../finding/source-finder.js";
import type { PlaceGroup } from "./capture-places.js";
import type { DocumentView } from "./document-view.js";
import type { DocumentViews } from "./document-views.js";
import { mapFile, otherLines } from "./map-file.js";
import type { FileMapper, MappedFile, MappedLine } from "../mapped-file.js";

/** Modules whose files are looked for: the hottest ones. */
const MOST_MODULES = 100;
/** Searches of the workspace at a time. */
const AT_A_TIME = 6;

export class DocumentMapper implements FileMapper {
  readonly #finder: SourceFinder;
  readonly #views: DocumentViews;
  /** Called first, so that nothing is shown by an attribution that changes right after. */
  readonly #ownCode: { mark(opened: OpenCapture): Promise<void> };
  readonly #mapped = new WeakMap<DocumentView, { readonly revision: number; readonly file: MappedFile }>();

  readonly onDidChange: vscode.Event<void>;

  constructor(finder: SourceFinder, views: DocumentViews, ownCode: { mark(opened: OpenCapture): Promise<void> }) {
    this.#finder = finder;
    this.#views = views;
    this.#ownCode = ownCode;
    this.onDidChange = finder.onDidChange;
  }

  async map(document: vscode.TextDocument, opened: OpenCapture): Promise<MappedFile | undefined> {
    if (document.uri.scheme !== "file") return undefined;
    await this.#ownCode.mark(opened);
    const view = await this.#views.view(opened, document);
    if (view === undefined) return undefined;
    const { revision } = opened.capture;
    const known = this.#mapped.get(view);
    if (known?.revision === revision) return known.file;
    const file = mapFile(opened.capture, view);
    this.#mapped.set(view, { revision, file });
    return file;
  }

  async otherLines(document: vscode.TextDocument, opened: OpenCapture): Promise<readonly MappedLine[]> {
    // It marks own code, too.
    if ((await this.map(document, opened)) === undefined) return [];
    const view = await this.#views.view(opened, document);
    return view === undefined ? [] : otherLines(opened.capture, view);
  }

  async filesOf(opened: OpenCapture): Promise<readonly vscode.Uri[]> {
    await this.#ownCode.mark(opened);
    const attribution = attributionOf(opened.capture);
    const samplesOf = ({ functions }: PlaceGroup): number =>
      functions.reduce((sum, { index }) => sum + opened.capture.functionCounts(index)[attribution], 0);
    const hottest = this.#views
      .placesOf(opened)
      .all()
      .map((group) => ({ place: group.place, samples: samplesOf(group) }))
      .filter((group) => group.samples > 0)
      .sort((a, b) => b.samples - a.samples)
      .slice(0, MOST_MODULES);
    const files = new Map<string, { uri: vscode.Uri; samples: number }>();
    for (let at = 0; at < hottest.length; at += AT_A_TIME) {
      const some = hottest.slice(at, at + AT_A_TIME);
      const found = await Promise.all(some.map(({ place }) => this.#finder.find(place, opened)));
      for (const [index, { file }] of found.entries()) {
        if (file === undefined || vscode.workspace.getWorkspaceFolder(file) === undefined) continue;
        const known = files.get(file.toString());
        files.set(file.toString(), { uri: file, samples: (known?.samples ?? 0) + (some[index]?.samples ?? 0) });
      }
    }
    return [...files.values()].sort((a, b) => b.samples - a.samples).map(({ uri }) => uri);
  }
}
