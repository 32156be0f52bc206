// Everything that crosses between the extension host and the flame graph. Typed arrays travel as they are (structured clone).

import type { FlameData } from "../../extension/src/capture/flame-data.js";

/** What the host applies when it builds the data; the webview only asks for a change. */
export interface BuildOptions {
  readonly inverted: boolean;
  readonly hideNative: boolean;
  readonly hideKernel: boolean;
}

export type Orientation = "icicle" | "flame";
export type ExportFormat = "svg" | "folded" | "speedscope";

export type ToWebview =
  /** A whole graph; the same view again while live, with a larger `sequence`. */
  | { readonly type: "data"; readonly data: FlameData; readonly options: BuildOptions; readonly title: string; readonly live: boolean }
  /** One function in the middle: `callers` is inverted (node 0 the function, children its callers), `callees` is not. */
  | { readonly type: "sandwich"; readonly functionName: string; readonly callers: FlameData; readonly callees: FlameData }
  | { readonly type: "loading"; readonly text: string }
  /** Nothing to draw, or it failed: the text says why and what to do. */
  | { readonly type: "empty"; readonly text: string }
  /** Selects and zooms: names from below the root to the function. The longest part that exists is taken. */
  | { readonly type: "reveal"; readonly path: readonly string[] }
  | { readonly type: "search"; readonly query: string };

export type ToHost =
  | { readonly type: "ready" }
  | { readonly type: "options"; readonly options: BuildOptions }
  /** `line` is the hottest line of this frame, else the head of its function, else 0. */
  | { readonly type: "openSource"; readonly functionName: string; readonly file: string; readonly line: number }
  | { readonly type: "requestSandwich"; readonly functionName: string }
  | { readonly type: "closeSandwich" }
  | { readonly type: "copy"; readonly what: "name" | "stack"; readonly text: string }
  | { readonly type: "export"; readonly format: ExportFormat; readonly suggestedName: string; readonly text: string };

/** Kept by the editor with the panel, so that it comes back as it was. */
export interface SavedState {
  readonly orientation: Orientation;
  readonly query: string;
  readonly treeShown: boolean;
}
