// Everything that crosses between the extension host and the flame graph. Typed arrays travel as they are (structured clone).

import type {
  Facet,
  FlameOptions,
  SampleFilter,
  Stay,
  TimeGap,
  Timeline,
  TimelineTrack,
  TrackName,
} from "../capture-answers.js";
import type { FlameData } from "../flame-data.js";
import type { EmptyPage, EmptyPageRequest } from "./any-page.js";

/** The options that the extension host applies when it builds the data; the webview only requests a change. */
export type BuildOptions = FlameOptions;
/** Options that are on or off. */
export type BuildSwitch = Exclude<keyof BuildOptions, "groupBy">;
/** Body-recursive functions would fill the screen with towers, so their frames are one until the reader wants every level. */
export const DEFAULT_OPTIONS: BuildOptions = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: true,
  groupBy: "none",
};

export type Orientation = "icicle" | "flame";
/** Formats of stacks, which other programs read. */
export type StackFormat = "folded" | "speedscope";
export type ExportFormat = "svg" | StackFormat;
/** The whole graph, or one of the two around a function. */
export type GraphPart = "whole" | "callers" | "callees";

export function restricts(filter: SampleFilter): boolean {
  return Object.keys(filter).length > 0;
}

/** The values that distinguish samples, largest first; `values` may hold only the largest of `count`. */
export interface FacetList {
  readonly values: readonly Facet[];
  readonly count: number;
}
export type FacetName = "nodes" | "schedulers" | "processes" | "classes";
export type FacetLists = Readonly<Record<FacetName, FacetList>>;

/** The choices that a graph was built with. */
export interface BuiltWith {
  readonly options: BuildOptions;
  readonly filter: SampleFilter;
  /** Of the webview's last `view` message the host has seen; 0 for none. Older answers do not undo newer choices. */
  readonly revision: number;
}

export type ToWebview =
  /** A whole graph; the same view again while live, with a larger `sequence`. */
  | {
      readonly type: "data";
      readonly data: FlameData;
      readonly builtWith: BuiltWith;
      readonly title: string;
      readonly live: boolean;
      /** The end of the file is missing. */
      readonly isCut: boolean;
      /** The unit of the counts, in the plural: `samples`, `nanoseconds of cpu`. */
      readonly unit: string;
      /** Of the whole capture, whatever the filter. */
      readonly allSamples: number;
      /** How many of them are no idle ones, where shares are of these alone and idle ones are left out. */
      readonly busySamples?: number;
      /** Shares of fewer samples are marked; absent: none is. */
      readonly minimumSamples?: number;
      /** The capture's file, kept so that the panel finds it again. */
      readonly uri: string;
    }
  /** One function in the middle: `callers` is inverted (node 0 the function, children its callers), `callees` is not. */
  | {
      readonly type: "sandwich";
      readonly functionName: string;
      readonly callers: FlameData;
      readonly callees: FlameData;
      readonly builtWith: BuiltWith;
      /** The samples that pass the filter, with this function or not. */
      readonly filteredSamples: number;
      readonly allSamples: number;
      readonly busySamples?: number;
    }
  /** The values to filter by, counted over the whole capture. */
  | {
      readonly type: "facets";
      readonly facets: FacetLists;
      readonly timeline: Timeline;
      readonly tracks?: readonly TimelineTrack[];
      /** The VMs of a capture of several, those without a sample too. */
      readonly vms?: readonly string[];
      readonly gaps?: readonly TimeGap[];
      /** Long collections and calls, in the order of time. */
      readonly stays?: readonly Stay[];
      readonly allSamples: number;
      readonly busySamples?: number;
      readonly live: boolean;
    }
  /** Answers `findProcesses`. */
  | { readonly type: "processes"; readonly query: string; readonly found: FacetList }
  | { readonly type: "loading"; readonly text: string }
  /**
   * Nothing to draw, or it failed: the text gives the reason and the remedy. `filtered`: because of the filter, which
   * can be cleared.
   */
  | (EmptyPage & { readonly filtered?: BuiltWith })
  /** Selects and zooms: names from below the root to the function. The longest part that exists is taken. */
  | { readonly type: "reveal"; readonly path: readonly string[] }
  /** The function is selected elsewhere: its heaviest frame is, unless one of its frames is selected. Zoom and focus stay. */
  | { readonly type: "mark"; readonly functionName: string }
  | { readonly type: "search"; readonly query: string }
  /** Answers `graphToExport`. */
  | { readonly type: "toExport"; readonly format: StackFormat; readonly part: GraphPart; readonly data: FlameData };

export type ToHost =
  /** The page listens. `uri` is the capture its choices were made for. */
  | { readonly type: "ready"; readonly options: BuildOptions; readonly filter: SampleFilter; readonly uri: string }
  | { readonly type: "view"; readonly options: BuildOptions; readonly filter: SampleFilter; readonly revision: number }
  | { readonly type: "findProcesses"; readonly query: string }
  /** `line` is the hottest line of this frame, else the head of its function, else 0. */
  | { readonly type: "openSource"; readonly functionName: string; readonly file: string; readonly line: number }
  /** The panel is opened on the function: its row in the table, or the work it causes or is caused. */
  | {
      readonly type: "showFunction";
      readonly where: "top" | "blame";
      readonly functionName: string;
      readonly file: string;
    }
  /** The reader has selected a frame of another function: the other views of the capture mark it. */
  | { readonly type: "selected"; readonly functionName: string }
  | { readonly type: "requestSandwich"; readonly functionName: string }
  | { readonly type: "closeSandwich" }
  | { readonly type: "copy"; readonly what: "name" | "stack"; readonly text: string }
  /** The shown graph, with every level of recursion or without: stacks are exported from it. */
  | {
      readonly type: "graphToExport";
      readonly format: StackFormat;
      readonly part: GraphPart;
      readonly collapseRecursion: boolean;
    }
  | { readonly type: "export"; readonly format: ExportFormat; readonly suggestedName: string; readonly text: string }
  /** The graph in sight, to be saved beside a text about the capture that refers to it. `png` is in base64. */
  | {
      readonly type: "pictureForMarkdown";
      readonly title: string;
      readonly suggestedName: string;
      readonly png: string;
    }
  /** The picture is on the clipboard, unless there was a problem. */
  | { readonly type: "pictureCopied"; readonly problem: string }
  | EmptyPageRequest;

/** Selection and zoom by names, which outlive a refresh. */
export interface SavedPlace {
  readonly selected: readonly string[];
  readonly zoom: { readonly path: readonly string[]; readonly left: number; readonly right: number };
}

/** Kept by the editor with the panel, so that it comes back as it was. */
export interface SavedState {
  readonly orientation: Orientation;
  readonly query: string;
  readonly treeShown: boolean;
  readonly filtersShown: boolean;
  /** Native and kernel frames are not folded. */
  readonly unfoldAll: boolean;
  /** The runs of them that are shown frame by frame, else. */
  readonly unfolded: readonly string[];
  readonly options: BuildOptions;
  readonly filter: SampleFilter;
  readonly uri: string;
  readonly place: SavedPlace | null;
  /** The track of the node that is drawn over time. */
  readonly track: TrackName;
  /** Of which node; empty for all of them. */
  readonly trackNode: string;
}
