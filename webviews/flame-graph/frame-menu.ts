// The actions for a frame, as a menu.

import type { FlameData } from "../../contract/flame-data.js";
import type { MenuItem } from "../elements/menu.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import type { Action } from "../graph/keyboard.js";
import { foldOf, headerOf, isFunction, sourceOf } from "../graph/shares.js";
import { S } from "./strings.js";

/** Empty for the root. A process or scheduler is no function; a marker is none that a table has. */
export function frameMenu(data: FlameData, node: number, act: (action: Action) => void): MenuItem[] {
  if (node === 0) return [];
  const item = (label: string, keys: string, what: FrameAction): MenuItem => ({
    label,
    keys,
    run: () => act({ do: what }),
  });
  const [sandwich] = S.sandwich;
  const header = headerOf(data, node);
  const isOpen = foldOf(data, header) === "open";
  return [
    ...(header < 0 ? [] : [item(isOpen ? S.fold : S.unfold, "U", "fold")]),
    ...(sourceOf(data, node).file === "" ? [] : [item(SHARED_STRINGS.openSource, "Enter", "openSource")]),
    ...(isFunction(data, node)
      ? [
          item(sandwich, "S", "sandwich"),
          item(S.showInTop, "", "showInTop"),
          item(S.showInBlame, "", "showInBlame"),
          item(S.searchForIt, "", "searchForIt"),
          item(S.focusOnIt, "", "focusOnIt"),
          item(S.ignoreIt, "", "ignoreIt"),
        ]
      : []),
    item(SHARED_STRINGS.copyName, "C", "copyName"),
    item(S.copyTheStack, "Shift+C", "copyStack"),
  ];
}

type FrameAction = Extract<
  Action["do"],
  | "openSource"
  | "fold"
  | "sandwich"
  | "showInTop"
  | "showInBlame"
  | "searchForIt"
  | "focusOnIt"
  | "ignoreIt"
  | "copyName"
  | "copyStack"
>;
