// Actions that only change the content of one pane.

import type { Action } from "./keyboard.js";
import type { FlamePane } from "./pane.js";

/** True when the selection may have changed. */
export function actOnPane(action: Action, pane: FlamePane): boolean {
  switch (action.do) {
    case "move":
      pane.move(action.direction);
      return true;
    case "selectRoot":
      pane.select(0);
      return true;
    case "zoomBack":
      pane.zoomBack();
      return true;
    case "pan":
      pane.pan(action.share);
      return false;
    case "zoom":
      pane.zoom(action.factor);
      return false;
    case "scroll":
      pane.scrollPages(action.pages);
      return false;
    case "zoomToSelected":
      pane.zoomOrBack();
      return false;
    default:
      return false;
  }
}
