// Figures and words about one node, the same for tooltip, tree, announcements and exports.

import type { FrameKindName } from "../../contract/capture-answers.js";
import {
  FOLDINGS,
  FRAME_KINDS,
  NODE_CHANGES,
  NODE_FOLDS,
  type FlameData,
  type NodeChange,
  type NodeFold,
} from "../../contract/flame-data.js";
import { clipped } from "../../contract/plain-text.js";
import { count } from "../words/figures.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { ofWhole, samplesWord, selfShareText, shareText } from "./graph-figures.js";
import { GRAPH_STRINGS } from "./strings.js";

export function nameOf(data: FlameData, node: number): string {
  return data.functionNames[data.nodeFunction[node] ?? 0] ?? "";
}

/** The text in the frame: its function, and how deep it calls itself where that is one frame. */
export function labelOf(data: FlameData, node: number): string {
  return nameOf(data, node) + levelsSuffix(data, node);
}

/** ` ×37` where that many frames of one function became this one; else nothing. */
export function levelsSuffix(data: FlameData, node: number): string {
  const levels = data.nodeLevels[node] ?? 1;
  return levels > 1 ? ` ×${count(levels)}` : "";
}

/** So that no user has to distinguish colours. */
export const CHANGE_SIGNS: Record<NodeChange, string> = { none: "", more: "▲", less: "▼", new: "✚", gone: "✖" };

export function changeOf({ difference }: FlameData, node: number): NodeChange {
  return NODE_CHANGES[difference?.nodeChange[node] ?? 0] ?? "none";
}

/** The sign before a frame's name: `▲ ` where it takes more than on the older side; nothing in a graph of one side. */
export function changeMark(data: FlameData, node: number): string {
  const sign = CHANGE_SIGNS[changeOf(data, node)];
  return sign === "" ? "" : `${sign} `;
}

export function kindOf(data: FlameData, node: number): FrameKindName {
  return FRAME_KINDS[data.functionKinds[data.nodeFunction[node] ?? 0] ?? 0] ?? "marker";
}

/** Whether it is a process or scheduler instead of a function. */
export function isGroup(data: FlameData, node: number): boolean {
  return data.groupedBy !== "none" && data.nodeDepth[node] === 1;
}

/** Neither the root nor a group nor a marker nor a run of frames. */
export function isFunction(data: FlameData, node: number): boolean {
  return node > 0 && !isGroup(data, node) && kindOf(data, node) !== "marker" && foldOf(data, node) === "none";
}

/** Whether a frame stands for a run of native or kernel frames. */
export function foldOf({ nodeFold }: FlameData, node: number): NodeFold {
  return NODE_FOLDS[nodeFold?.[node] ?? 0] ?? "none";
}

const FOLD_SIGNS: Record<NodeFold, string> = { none: "", folded: "⊞ ", open: "⊟ " };

/** The sign before the name of a frame that stands for a run. */
export function foldMark(data: FlameData, node: number): string {
  return FOLD_SIGNS[foldOf(data, node)];
}

/** The frame that stands for the run the node is in, or the node itself; -1: it is in none. */
export function headerOf(data: FlameData, node: number): number {
  const { nodeFold, nodeFunction, nodeParent, functionFolding } = data;
  const noRun = FOLDINGS.indexOf("none");
  let at = node;
  while (at > 0 && nodeFold?.[at] === 0) {
    if ((functionFolding?.[nodeFunction[at] as number] ?? noRun) === noRun) return -1;
    at = nodeParent[at] as number;
  }
  return nodeFold !== undefined && at > 0 ? at : -1;
}

/** The kind of a frame, in a word; the root has none. */
export function kindWord(data: FlameData, node: number): string {
  if (node === 0) return "";
  const fold = foldOf(data, node);
  if (fold !== "none") return GRAPH_STRINGS.folds[fold];
  return isGroup(data, node) ? GRAPH_STRINGS.groupKinds[data.groupedBy] : KIND_WORDS[kindOf(data, node)];
}

export interface NodeFigures {
  readonly name: string;
  readonly kind: string;
  readonly samples: string;
  readonly ofAll: string;
  /** Empty for the root. */
  readonly ofParent: string;
  readonly self: string;
  /** Empty where nothing calls itself. */
  readonly levels: string;
  /** `file:line`, or empty. */
  readonly source: string;
}

export function figuresOf(data: FlameData, node: number): NodeFigures {
  const total = data.nodeTotal[node] ?? 0;
  const self = data.nodeSelf[node] ?? 0;
  const parent = data.nodeParent[node] ?? -1;
  const levels = data.nodeLevels[node] ?? 1;
  const { file, line } = sourceOf(data, node);
  return {
    name: nameOf(data, node),
    kind: kindWord(data, node),
    samples: samplesWord(total),
    ofAll: shareText(total, data.totalSamples),
    ofParent: parent < 0 ? "" : shareText(total, data.nodeTotal[parent] ?? 0),
    self: `${count(self)} (${selfShareText(self, total, data.totalSamples)})`,
    levels: levels > 1 ? GRAPH_STRINGS.levels(count(levels)) : "",
    source: file === "" ? "" : line > 0 ? `${file}:${line}` : file,
  };
}

export function sourceOf(data: FlameData, node: number): { file: string; line: number } {
  const index = data.nodeFunction[node] ?? 0;
  return {
    file: data.functionFiles[index] ?? "",
    line: (data.nodeLine[node] ?? 0) || (data.functionHeadLines[index] ?? 0),
  };
}

/** One sentence for a screen reader. */
export function sentenceOf(data: FlameData, node: number, children: number): string {
  const figures = figuresOf(data, node);
  const parts = [
    clipped(figures.name),
    figures.levels,
    figures.kind,
    `${figures.ofAll} ${ofWhole()}`,
    figures.ofParent && `${figures.ofParent} ${GRAPH_STRINGS.ofParent}`,
    figures.samples,
  ];
  return `${parts.filter(Boolean).join(", ")}, ${GRAPH_STRINGS.children(children, count(children))}`;
}
