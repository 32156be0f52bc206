// Figures and words about one node, the same for tooltip, tree, announcements and exports.

import type { FrameKindName } from "../../contract/capture-answers.js";
import { FRAME_KINDS, type FlameData } from "../../contract/flame-data.js";
import { clipped } from "../../contract/plain-text.js";
import { count } from "../words/figures.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { ofWhole, percent, samplesWord } from "./graph-figures.js";
import { S } from "./strings.js";

export function nameOf(data: FlameData, node: number): string {
  return data.functionNames[data.nodeFunction[node] ?? 0] ?? "";
}

export function kindOf(data: FlameData, node: number): FrameKindName {
  return FRAME_KINDS[data.functionKinds[data.nodeFunction[node] ?? 0] ?? 0] ?? "marker";
}

export interface NodeFigures {
  readonly name: string;
  readonly kind: string;
  readonly samples: string;
  readonly ofAll: string;
  /** Empty for the root. */
  readonly ofParent: string;
  readonly self: string;
  /** `file:line`, or empty. */
  readonly source: string;
}

export function figuresOf(data: FlameData, node: number): NodeFigures {
  const total = data.nodeTotal[node] ?? 0;
  const self = data.nodeSelf[node] ?? 0;
  const parent = data.nodeParent[node] ?? -1;
  const { file, line } = sourceOf(data, node);
  return {
    name: nameOf(data, node),
    kind: node === 0 ? "" : KIND_WORDS[kindOf(data, node)],
    samples: samplesWord(total),
    ofAll: percent(total, data.totalSamples),
    ofParent: parent < 0 ? "" : percent(total, data.nodeTotal[parent] ?? 0),
    self: `${count(self)} (${percent(self, data.totalSamples)})`,
    source: file === "" ? "" : line > 0 ? `${file}:${line}` : file,
  };
}

export function sourceOf(data: FlameData, node: number): { file: string; line: number } {
  const index = data.nodeFunction[node] ?? 0;
  return { file: data.functionFiles[index] ?? "", line: (data.nodeLine[node] ?? 0) || (data.functionHeadLines[index] ?? 0) };
}

/** One sentence for a screen reader. */
export function sentenceOf(data: FlameData, node: number, children: number): string {
  const figures = figuresOf(data, node);
  const parts = [clipped(figures.name), figures.kind, `${figures.ofAll} ${ofWhole()}`, figures.ofParent && `${figures.ofParent} ${S.ofParent}`, figures.samples];
  return `${parts.filter(Boolean).join(", ")}, ${S.children(children, count(children))}`;
}
