// A query put to the panes in sight, and the words for the hits in the active one.

import type { FlameData } from "../../contract/flame-data.js";
import { count } from "../words/figures.js";
import { ofWhole, shareText } from "./graph-figures.js";
import type { FlamePane } from "./pane.js";
import { compileQuery, marksOf, search, searchFolded } from "./search.js";
import { GRAPH_STRINGS } from "./strings.js";

export function searchPanes(
  query: string,
  panes: readonly FlamePane[],
  active: FlamePane,
): { text: string; isError: boolean } {
  const compiled = compileQuery(query);
  let result = { text: "", isError: false };
  if (compiled !== null && "error" in compiled) result = { text: GRAPH_STRINGS.notAnExpression, isError: true };
  for (const pane of panes) {
    pane.matches = null;
    pane.ask();
    // The callers and callees are not drawn while the whole graph is, and the reverse.
    if (compiled === null || "error" in compiled || !pane.data || pane.element.hidden) continue;
    const { data, folded } = pane;
    const found = folded ? searchFolded(folded, compiled.pattern) : searchWhole(data, compiled.pattern);
    pane.matches = found.marks;
    if (pane !== active) continue;
    const functions = GRAPH_STRINGS.functions(found.matchedFunctions, count(found.matchedFunctions));
    result = {
      text:
        found.matchedFunctions === 0
          ? GRAPH_STRINGS.noMatch
          : `${functions} · ${shareText(found.matchedSamples, pane.data.totalSamples)} ${ofWhole()}`,
      isError: false,
    };
  }
  return result;
}

function searchWhole(data: FlameData, pattern: RegExp) {
  const found = search(data, pattern);
  return { ...found, marks: marksOf(data, found) };
}
