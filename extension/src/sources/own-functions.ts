// Which functions are own code, when it is known whose code each module is. No vscode in here.

import { isOwnFunction, otherOrigin, type ModuleOrigin } from "./finding/code-origin.js";
import { placeKey, placesCalledLike, type ModulePlace } from "./finding/module-file.js";
import type { PlaceGroup } from "./mapping/capture-places.js";
import type { CodeOrigin } from "./source-navigator.js";

/** The places whose origins decide: those of the functions, and those where their modules may have been written. */
export function decidingPlaces(groups: readonly PlaceGroup[]): readonly ModulePlace[] {
  const places = new Map<string, ModulePlace>();
  for (const { place } of groups)
    for (const each of [place, ...placesCalledLike(place)]) places.set(placeKey(each), each);
  return [...places.values()];
}

/**
 * Functions of own code; notes whose code each function is.
 * @param modules by place, of all that decide
 * @param origins by function
 */
export function ownFunctions(
  groups: readonly PlaceGroup[],
  modules: ReadonlyMap<string, ModuleOrigin>,
  origins: Map<number, CodeOrigin>,
): number[] {
  const ofModule = ownModules(groups, modules);
  const own: number[] = [];
  for (const { place, functions } of groups) {
    const ofFile = modules.get(placeKey(place));
    if (ofFile === undefined) continue;
    const module = ofModule.get(place.module);
    for (const fn of functions) {
      const isOwn = isOwnFunction(fn, ofFile, module);
      origins.set(fn.index, isOwn ? (module ?? ofFile).origin : otherOrigin(ofFile));
      if (isOwn) own.push(fn.index);
    }
  }
  return own;
}

/** Modules of own code: by the files that the VM reports, else by those that are called like them. */
function ownModules(
  groups: readonly PlaceGroup[],
  modules: ReadonlyMap<string, ModuleOrigin>,
): ReadonlyMap<string, ModuleOrigin> {
  const own = new Map<string, ModuleOrigin>();
  const ruled = new Set<string>();
  for (const { place } of groups) {
    const found = modules.get(placeKey(place));
    if (found?.isRuled === true) ruled.add(place.module);
    if (place.module !== "" && found?.origin.kind === "own" && found.isLent !== true) own.set(place.module, found);
  }
  for (const { place } of groups) {
    if (own.has(place.module) || ruled.has(place.module)) continue;
    const found = placesCalledLike(place).map((each) => modules.get(placeKey(each)));
    const ofOwn = found.find((each) => each?.origin.kind === "own");
    if (ofOwn !== undefined) own.set(place.module, ofOwn);
  }
  return own;
}
