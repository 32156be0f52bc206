// Stacks that are too long for this reader: what marks their missing middle, and how many samples have one.

import { TOO_DEEP } from "../limits.generated.js";
import type { FunctionTable } from "./function-table.js";

const NONE = -1;

export interface CutStacksParts {
  readonly marker: number;
  readonly nodes: Set<number>;
  readonly samples: number;
  readonly samplesReported: number;
}

export class CutStacks {
  readonly #functions: FunctionTable;
  /** The function that stands for the missing frames. */
  #marker: number;
  /** Of the stacks that were cut. */
  #nodes: Set<number>;
  /** Samples with such a stack. */
  samples: number;
  /** Those of them that the quality of the capture has already. */
  samplesReported: number;

  constructor(functions: FunctionTable, parts?: CutStacksParts) {
    this.#functions = functions;
    this.#marker = parts?.marker ?? NONE;
    this.#nodes = parts?.nodes ?? new Set();
    this.samples = parts?.samples ?? 0;
    this.samplesReported = parts?.samplesReported ?? 0;
  }

  parts(): CutStacksParts {
    return { marker: this.#marker, nodes: this.#nodes, samples: this.samples, samplesReported: this.samplesReported };
  }

  /** The frame that stands for the missing ones. */
  frame(isOwn: boolean): number {
    if (this.#marker === NONE)
      this.#marker = this.#functions.add(
        { name: TOO_DEEP, rawName: TOO_DEEP, kind: "marker", file: "", headLine: 0, object: "" },
        isOwn,
      );
    return this.#functions.frame(this.#marker, 0);
  }

  add(node: number): void {
    this.#nodes.add(node);
  }

  /** Counts the samples of a stack when it was cut. */
  count(node: number, samples: number): void {
    if (this.#nodes.size > 0 && this.#nodes.has(node)) this.samples += samples;
  }

  mark(): CutStacksParts {
    return { ...this.parts(), nodes: new Set(this.#nodes) };
  }

  rollBack(mark: CutStacksParts): void {
    this.#marker = mark.marker;
    this.#nodes = mark.nodes;
    this.samples = mark.samples;
    this.samplesReported = mark.samplesReported;
  }
}
