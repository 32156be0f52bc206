// The calls behind the rows of the top table: the tree of the flame graph, with the functions of the capture.

import type { SampleFilter } from "../../../../contract/capture-answers.js";
import { FRAME_KINDS, type FlameData } from "../../../../contract/flame-data.js";
import { DEFAULT_OPTIONS } from "../../../../contract/messages/flame-graph.js";
import type { TopTree, TopView } from "../../../../contract/messages/top.js";
import type { Capture } from "../../capture/questions.js";

const MARKER = FRAME_KINDS.indexOf("marker");

export function topTree(
  capture: Capture,
  { onlyErlang }: Pick<TopView, "onlyErlang">,
  filter: SampleFilter | undefined,
): TopTree {
  const data = capture.flame({ ...DEFAULT_OPTIONS, hideNative: onlyErlang, hideKernel: onlyErlang }, filter);
  return { type: "tree", data, functionIndex: functionIndexes(capture, data) };
}

/** Functions may share a name; the file separates them. */
function functionIndexes({ functions }: Pick<Capture, "functions">, data: FlameData): Int32Array {
  const keyOf = (name: string, file: string) => `${name}\0${file}`;
  const indexes = new Map<string, number>();
  functions.forEach(({ name, file }, index) => {
    const key = keyOf(name, file);
    if (!indexes.has(key)) indexes.set(key, index);
  });
  return Int32Array.from(data.functionNames, (name, number) => {
    if (number === 0 || data.functionKinds[number] === MARKER) return -1;
    return indexes.get(keyOf(name, data.functionFiles[number] ?? "")) ?? -1;
  });
}
