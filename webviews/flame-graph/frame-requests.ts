// The requests to the extension host about one frame.

import type { FlameData } from "../../contract/flame-data.js";
import type { ToHost } from "../../contract/messages/flame-graph.js";
import type { Action } from "../graph/keyboard.js";
import { foldOf, isFunction, isGroup, nameOf, sourceOf } from "../graph/shares.js";

/** Null when the action is none of these, or there is nothing to request. */
export function requestFor(
  action: Action["do"],
  data: FlameData,
  node: number,
  stackText: () => string,
): ToHost | null {
  const functionName = nameOf(data, node);
  switch (action) {
    case "openSource": {
      const { file, line } = sourceOf(data, node);
      return file === "" ? null : { type: "openSource", functionName, file, line };
    }
    case "sandwich":
      return node === 0 || isGroup(data, node) || foldOf(data, node) !== "none"
        ? null
        : { type: "requestSandwich", functionName };
    case "showInTop":
    case "showInBlame":
      return isFunction(data, node)
        ? {
            type: "showFunction",
            where: action === "showInTop" ? "top" : "blame",
            functionName,
            file: sourceOf(data, node).file,
          }
        : null;
    case "copyName":
      return { type: "copy", what: "name", text: functionName };
    case "copyStack":
      return { type: "copy", what: "stack", text: stackText() };
    default:
      return null;
  }
}
