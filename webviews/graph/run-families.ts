// The work of a run of native or kernel frames, by that of its functions. The order is that of the classes of samples (crate `capture`, `classify`).

import { FOLDINGS, type FlameData } from "../../contract/flame-data.js";

/** Nothing is known, or no run. */
export const NO_FAMILY = 0;

/** `fragment`: the JIT's shared code between an Erlang function and a built-in one, and no work of its own. */
const WEAK = ["fragment", "runtime", "scheduler"];
/** Everything around them in a run is done for these. */
const OVERRIDING = ["kernel:network", "copy", "gc"];
const UNSPECIFIC_KERNEL = "kernel";

export class RunFamilies {
  /** The names of families; number 0 is none. */
  readonly names: string[] = [""];
  readonly #ofFunction: Uint16Array;
  readonly #ranks: number[] = [0];
  readonly #isKernel: boolean[] = [false];

  constructor({ functionFamilies = [] }: Pick<FlameData, "functionFamilies">) {
    const numbers = new Map([["", NO_FAMILY]]);
    this.#ofFunction = Uint16Array.from(functionFamilies, (name) => {
      let number = numbers.get(name);
      if (number !== undefined) return number;
      number = this.names.push(name) - 1;
      numbers.set(name, number);
      this.#ranks.push(rankOf(name));
      this.#isKernel.push(name.startsWith(UNSPECIFIC_KERNEL));
      return number;
    });
  }

  ofFunction(functionIndex: number): number {
    return this.#ofFunction[functionIndex] ?? NO_FAMILY;
  }

  /** Of a run that is `inner` towards the leaf and `outer` towards the root. */
  together(inner: number, outer: number): number {
    const [innerRank, outerRank] = [this.#ranks[inner] as number, this.#ranks[outer] as number];
    if (innerRank !== outerRank) return innerRank > outerRank ? inner : outer;
    // The kernel is entered for what its outermost function does; a page fault within is part of that.
    return this.#isKernel[inner] === true ? outer : inner;
  }

  isFragment(family: number): boolean {
    return this.names[family] === WEAK[0];
  }
}

function rankOf(family: string): number {
  const weak = WEAK.indexOf(family);
  if (weak >= 0) return 1 + weak;
  if (family === UNSPECIFIC_KERNEL) return 1;
  const SPECIFIC = WEAK.length + 1;
  return SPECIFIC + 1 + OVERRIDING.indexOf(family);
}

/** By function: 0 for frames that stand for themselves, 1 for native ones, 2 for those of the kernel. */
export function runKinds({ functionFolding = new Uint8Array() }: Pick<FlameData, "functionFolding">): Uint8Array {
  return functionFolding.map((folding) => {
    const name = FOLDINGS[folding];
    return name === "kernel" ? 2 : name === "native" || name === "base" ? 1 : 0;
  });
}
