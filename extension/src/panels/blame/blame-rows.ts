// The tree of callers as the rows that are open.

import type { BlameRow } from "../../../../contract/messages/blame.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { BlameCaller } from "../../capture/questions.js";
import { placeText } from "../page/place-text.js";

/** More than any user reads; a page receives them all once a second. */
export const MOST_BLAME_ROWS = 5000;

export interface OpenRows {
  readonly rows: readonly BlameRow[];
  readonly leftOut: number;
}

/** Names a caller among its siblings. Markers have no function. */
function partOf(caller: BlameCaller): string {
  const what =
    caller.functionIndex >= 0 ? String(caller.functionIndex) : shownName(caller.name, 60).replaceAll("/", "");
  return caller.atOrBelow ? `~${what}` : what;
}

export function openRows(
  callers: readonly BlameCaller[],
  expanded: ReadonlySet<string>,
  most = MOST_BLAME_ROWS,
): OpenRows {
  const rows: BlameRow[] = [];
  let leftOut = 0;
  const add = (siblings: readonly BlameCaller[], above: string, level: number): void => {
    siblings.forEach((caller, index) => {
      if (rows.length >= most) {
        leftOut++;
        return;
      }
      const key = above === "" ? partOf(caller) : `${above}/${partOf(caller)}`;
      const isOpen = caller.callers.length > 0 && expanded.has(key);
      rows.push({
        key,
        level,
        position: index + 1,
        siblings: siblings.length,
        expandable: caller.callers.length > 0,
        expanded: isOpen,
        name: shownName(caller.name),
        functionIndex: caller.functionIndex,
        place: placeText(caller.file, caller.line),
        line: caller.line,
        atOrBelow: caller.atOrBelow,
        samples: caller.samples,
      });
      if (isOpen) add(caller.callers, key, level + 1);
    });
  };
  add(callers, "", 1);
  return { rows, leftOut };
}
