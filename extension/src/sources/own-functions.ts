// Which functions are own code, when it is known whose code each module is. No vscode in here.

import { isOwnFunction, type ModuleOrigin } from "./finding/code-origin.js";
import { placeKey } from "./finding/module-file.js";
import type { PlaceGroup } from "./mapping/capture-places.js";
import type { CodeOrigin } from "./source-navigator.js";

/**
 * Functions of own code; notes whose code each function is.
 * @param modules by place
 * @param origins by function
 */
export function ownFunctions(
  groups: readonly PlaceGroup[],
  modules: ReadonlyMap<string, ModuleOrigin>,
  origins: Map<number, CodeOrigin>,
): number[] {
  const ofModule = new Map<string, ModuleOrigin>();
  for (const { place } of groups) {
    const found = modules.get(placeKey(place));
    if (place.module !== "" && found?.origin.kind === "own") ofModule.set(place.module, found);
  }
  const own: number[] = [];
  for (const { place, functions } of groups) {
    const ofFile = modules.get(placeKey(place));
    if (ofFile === undefined) continue;
    const module = ofModule.get(place.module);
    for (const fn of functions) {
      const isOwn = isOwnFunction(fn, ofFile, module);
      origins.set(fn.index, isOwn ? (module ?? ofFile).origin : ofFile.origin);
      if (isOwn) own.push(fn.index);
    }
  }
  return own;
}
