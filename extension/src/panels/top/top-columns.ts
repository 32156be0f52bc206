// The rows of a top answer as columns.

import { FRAME_KINDS } from "../../../../contract/flame-data.js";
import type { TopFunctions, TopRows } from "../../../../contract/messages/top.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { FunctionFacts, TopAnswer } from "../../capture/questions.js";
import type { ShownCapture } from "../capture-panel/shown-capture.js";
import { placeText } from "../page/place-text.js";
import { topGroups } from "./top-groups.js";

export type TopColumns = Pick<
  TopRows,
  | "functionIndex"
  | "group"
  | "groups"
  | "own"
  | "self"
  | "total"
  | "otherNames"
  | "otherKinds"
  | "calledFromRows"
  | "calledFromNames"
>;

export function topColumns({ rows }: TopAnswer, shown: Pick<ShownCapture, "capture" | "originOf">): TopColumns {
  const functionIndex = new Int32Array(rows.length);
  const { groups, group } = topGroups(rows, shown);
  const own = new Float64Array(rows.length);
  const self = new Float64Array(rows.length);
  const total = new Float64Array(rows.length);
  const otherNames: string[] = [];
  const otherKinds: number[] = [];
  const calledFromRows: number[] = [];
  const calledFromNames: string[] = [];
  rows.forEach((row, index) => {
    functionIndex[index] = row.functionIndex;
    own[index] = row.own;
    self[index] = row.self;
    total[index] = row.total;
    if (row.functionIndex < 0) {
      otherNames.push(shownName(row.name));
      otherKinds.push(FRAME_KINDS.indexOf(row.kind));
    }
    if (row.calledFrom !== "") {
      calledFromRows.push(index);
      calledFromNames.push(shownName(row.calledFrom));
    }
  });
  return {
    functionIndex,
    group,
    groups,
    own,
    self,
    total,
    otherNames,
    otherKinds: Uint8Array.from(otherKinds),
    calledFromRows: Uint32Array.from(calledFromRows),
    calledFromNames,
  };
}

/** Functions from `from` on. */
export function functionColumns(functions: readonly FunctionFacts[], from: number): TopFunctions {
  const names: string[] = [];
  const places: string[] = [];
  const kinds = new Uint8Array(Math.max(functions.length - from, 0));
  for (let index = from; index < functions.length; index++) {
    const fn = functions[index] as FunctionFacts;
    names.push(shownName(fn.name));
    places.push(placeText(fn.file, fn.headLine));
    kinds[index - from] = Math.max(FRAME_KINDS.indexOf(fn.kind), 0);
  }
  return { type: "functions", from, names, kinds, places };
}
