// Functions of a capture by the file they say they are in. Grows with the capture.

import type { Capture, FunctionFacts } from "../../capture/questions.js";
import type { ReportedHead } from "../drift/text-fit.js";
import { identityOf, nativeIdentityOf, type FunctionIdentity } from "../finding/function-identity.js";
import { NATIVE_SOURCE } from "../../text/native-source.js";
import { placeKey, placeOf, sourceBaseName, type ModulePlace } from "../finding/module-file.js";

/** A function that is written somewhere. */
export interface PlacedFunction extends ReportedHead, FunctionIdentity {
  /** In `Capture.functions`. */
  readonly index: number;
}

export interface PlaceGroup {
  readonly place: ModulePlace;
  readonly functions: PlacedFunction[];
}

export class CapturePlaces {
  readonly #capture: Capture;
  readonly #byBaseName = new Map<string, Map<string, PlaceGroup>>();
  #seen = 0;

  constructor(capture: Capture) {
    this.#capture = capture;
  }

  /** Modules whose reported file has this name. */
  withBaseName(name: string): readonly PlaceGroup[] {
    this.#catchUp();
    return [...(this.#byBaseName.get(name)?.values() ?? [])];
  }

  all(): readonly PlaceGroup[] {
    this.#catchUp();
    return [...this.#byBaseName.values()].flatMap((groups) => [...groups.values()]);
  }

  #catchUp(): void {
    const { functions } = this.#capture;
    for (; this.#seen < functions.length; this.#seen++) {
      const fn = functions[this.#seen];
      const place = fn === undefined ? undefined : placeOf(fn);
      if (fn === undefined || place === undefined) continue;
      this.#groupOf(place).functions.push({ ...identityIn(place, fn), index: this.#seen, headLine: fn.headLine });
    }
  }

  #groupOf(place: ModulePlace): PlaceGroup {
    const name = sourceBaseName(place);
    let groups = this.#byBaseName.get(name);
    if (groups === undefined) this.#byBaseName.set(name, (groups = new Map()));
    let group = groups.get(placeKey(place));
    if (group === undefined) groups.set(placeKey(place), (group = { place, functions: [] }));
    return group;
  }
}

function identityIn(place: ModulePlace, { name, rawName }: FunctionFacts): FunctionIdentity {
  if (NATIVE_SOURCE.test(place.file)) return nativeIdentityOf(name, rawName);
  return identityOf(rawName) ?? { module: "", name, arity: 0, isElixir: false, isInner: true };
}
