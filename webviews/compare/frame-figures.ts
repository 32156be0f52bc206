// The text about one frame of the graph of both sides. Nothing of a document in here.

import type { Measure } from "../../contract/editor-module.generated.js";
import type { FlameData } from "../../contract/flame-data.js";
import { clipped } from "../../contract/plain-text.js";
import { changeOf, CHANGE_SIGNS, figuresOf, kindWord, nameOf } from "../graph/shares.js";
import { GRAPH_STRINGS } from "../graph/strings.js";
import { changeText, valueText } from "./change-figures.js";
import { STRINGS } from "./strings.js";

/** Percent; empty where a side has nothing. */
export function frameChange({ difference }: FlameData, node: number): string {
  const [base, now] = [difference?.nodeBase[node] ?? 0, difference?.nodeNew[node] ?? 0];
  return base > 0 && now > 0 ? changeText((now / base - 1) * 100) : "";
}

/** `▲ +18%`; the word where there is no percentage. */
export function frameVerdict(data: FlameData, node: number): string {
  const change = changeOf(data, node);
  return [CHANGE_SIGNS[change], STRINGS.frameChanges[change], frameChange(data, node)].filter(Boolean).join(" ");
}

/** The text before the name in the tree. */
export function frameShare(data: FlameData, node: number): string {
  return [CHANGE_SIGNS[changeOf(data, node)], frameChange(data, node)].filter(Boolean).join(" ");
}

/** Terms and values, both sides' widths among them. */
export function frameRows(
  data: FlameData,
  node: number,
  measure: Measure,
): readonly (readonly [term: string, value: string])[] {
  const { difference } = data;
  const { levels, source } = figuresOf(data, node);
  return [
    [STRINGS.columns.new.title, valueText(difference?.nodeNew[node] ?? 0, measure)],
    [STRINGS.columns.base.title, valueText(difference?.nodeBase[node] ?? 0, measure)],
    [STRINGS.columns.change.title, frameVerdict(data, node)],
    [GRAPH_STRINGS.recursion, levels],
    [GRAPH_STRINGS.kind, kindWord(data, node)],
    [GRAPH_STRINGS.source, clipped(source)],
  ];
}

/** One line, for the eye under the graph and for a screen reader. */
export function frameSentence(data: FlameData, node: number, measure: Measure): string {
  const [now, before, change] = frameRows(data, node, measure).map(([, value]) => value);
  const parts = [
    clipped(nameOf(data, node)),
    change,
    STRINGS.beforeAndNow(before ?? "", now ?? ""),
    kindWord(data, node),
  ];
  return parts.filter(Boolean).join(", ");
}
