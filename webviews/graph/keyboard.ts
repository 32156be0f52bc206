// The action of each key. Single letters work only while the graph or the tree has the focus.

import type { Orientation } from "../../contract/messages/flame-graph.js";
import type { Direction } from "./hit-test.js";

export type Action =
  | { readonly do: "move"; readonly direction: Direction }
  | { readonly do: "pan"; readonly share: number }
  | { readonly do: "zoom"; readonly factor: number }
  | { readonly do: "scroll"; readonly pages: number }
  | {
      readonly do:
        | "zoomToSelected"
        | "zoomBack"
        | "resetZoom"
        | "selectRoot"
        | "openSource"
        | "focusSearch"
        | "nextMatch"
        | "previousMatch";
    }
  | {
      readonly do:
        | "sandwich"
        | "orientation"
        | "invert"
        | "collapse"
        | "group"
        | "filters"
        | "clearFilters"
        | "tree"
        | "copyName"
        | "copyStack"
        | "fold"
        | "foldAll"
        | "help";
    }
  | { readonly do: "menu" | "showInTop" | "showInBlame" | "searchForIt" | "focusOnIt" | "ignoreIt" };

export interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

const LETTERS: Record<string, Action> = {
  "+": { do: "zoom", factor: 0.5 },
  "=": { do: "zoom", factor: 0.5 },
  "-": { do: "zoom", factor: 2 },
  a: { do: "pan", share: -0.25 },
  d: { do: "pan", share: 0.25 },
  "0": { do: "resetZoom" },
  Escape: { do: "resetZoom" },
  Backspace: { do: "zoomBack" },
  Home: { do: "selectRoot" },
  Enter: { do: "openSource" },
  " ": { do: "zoomToSelected" },
  PageUp: { do: "scroll", pages: -0.9 },
  PageDown: { do: "scroll", pages: 0.9 },
  "/": { do: "focusSearch" },
  n: { do: "nextMatch" },
  N: { do: "previousMatch" },
  o: { do: "openSource" },
  s: { do: "sandwich" },
  i: { do: "orientation" },
  v: { do: "invert" },
  r: { do: "collapse" },
  f: { do: "filters" },
  g: { do: "group" },
  x: { do: "clearFilters" },
  t: { do: "tree" },
  u: { do: "fold" },
  U: { do: "foldAll" },
  c: { do: "copyName" },
  C: { do: "copyStack" },
  "?": { do: "help" },
  ContextMenu: { do: "menu" },
};

export function actionFor(event: Key, orientation: Orientation): Action | null {
  const command = event.ctrlKey || event.metaKey;
  if (event.altKey) return null;
  if (command) {
    if (event.key === "Enter") return { do: "openSource" };
    return event.key.toLowerCase() === "f" ? { do: "focusSearch" } : null;
  }
  switch (event.key) {
    case "ArrowLeft":
      return event.shiftKey ? { do: "pan", share: -0.25 } : { do: "move", direction: "left" };
    case "ArrowRight":
      return event.shiftKey ? { do: "pan", share: 0.25 } : { do: "move", direction: "right" };
    case "ArrowUp":
      return { do: "move", direction: orientation === "icicle" ? "parent" : "child" };
    case "ArrowDown":
      return { do: "move", direction: orientation === "icicle" ? "child" : "parent" };
    case "F10":
      return event.shiftKey ? { do: "menu" } : null;
    default:
      return Object.hasOwn(LETTERS, event.key) ? (LETTERS[event.key] ?? null) : null;
  }
}
