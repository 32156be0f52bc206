// The numbers of another capture's tables in tables that merge several: each of its numbers maps to one of these.

import { GrowingNumbers } from "../columns/growing-numbers.js";
import { MAX_STACK_FRAMES } from "../limits.generated.js";
import type { FunctionFacts } from "../questions.js";
import type { FunctionTable } from "./function-table.js";
import type { ProfileTables } from "./profile-tables.js";
import { laterBy, type SampleRows } from "./sample-rows.js";

/** Functions of several captures, each once. Those are the same whose every word is, the line of the head too: another version of a module has other lines. */
export class SharedFunctions {
  readonly #known = new Map<string, number>();
  #added: string[] = [];

  constructor(private readonly functions: FunctionTable) {}

  /** @param facts of a function whose object is known */
  add(facts: FunctionFacts): number {
    // Names may hold any character, so that joining them would make two functions one.
    const key = JSON.stringify([facts.kind, facts.rawName, facts.name, facts.file, facts.headLine, facts.object]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const index = this.functions.add(facts, true);
    this.#known.set(key, index);
    this.#added.push(key);
    return index;
  }

  mark(): void {
    this.#added = [];
  }

  rollBack(): void {
    for (const key of this.#added) this.#known.delete(key);
    this.#added = [];
  }
}

/** One of the captures that are taken in. Its tables only grow, and rows that are there stay as they are. */
export class AdoptedCapture {
  /** Number here + 1 by number there; 0 is not taken in yet. */
  readonly #functions = new GrowingNumbers(64);
  readonly #frames = new GrowingNumbers(64);
  readonly #nodes = new GrowingNumbers(64);
  readonly #labels = new GrowingNumbers(64);
  /** The last known facts of merged functions: a place or object may become known later. */
  readonly #seen: FunctionFacts[] = [];
  /** Rows that are taken in, of each type. */
  readonly #rows: number[] = [];
  readonly #stack = new Uint32Array(MAX_STACK_FRAMES);

  /** @param node of `into.labels` */
  constructor(
    readonly from: ProfileTables,
    private readonly into: ProfileTables,
    private readonly shared: SharedFunctions,
    private readonly node: number,
  ) {}

  /** Takes in all rows that are new. When this throws, both are as they were. @param shiftMs how much later than the first capture this one began */
  takeIn(shiftMs: number): void {
    const restore = this.into.mark();
    this.shared.mark();
    try {
      this.#takeIn(shiftMs);
    } catch (error) {
      restore();
      this.shared.rollBack();
      const { functions, stacks, labels } = this.into;
      forgetFrom(this.#functions, functions.count);
      forgetFrom(this.#frames, functions.frames.size);
      forgetFrom(this.#nodes, stacks.size);
      forgetFrom(this.#labels, labels.size);
      throw error;
    }
  }

  #takeIn(shiftMs: number): void {
    this.#refreshFunctions();
    this.#functions.extendTo(this.from.functions.count);
    this.#frames.extendTo(this.from.functions.frames.size);
    this.#nodes.extendTo(this.from.stacks.size);
    this.#labels.extendTo(this.from.labels.size);
    this.into.makeRoomFor(this.from.rows.length);
    this.from.rows.forEach((from, type) => {
      this.#takeRows(from, this.into.rows[type] as SampleRows, shiftMs, this.#rows[type]);
    });
    // Once all are there: what fails takes none of any type.
    this.from.rows.forEach(({ length }, type) => {
      this.#rows[type] = length;
    });
  }

  #takeRows({ node, labels, bucketMs, count, length }: SampleRows, into: SampleRows, shiftMs: number, taken = 0): void {
    for (let row = taken; row < length; row++) {
      into.add(
        this.#nodeOf(node.at(row)),
        this.#labelsOf(labels.at(row)),
        laterBy(bucketMs.at(row), shiftMs),
        count.at(row),
      );
    }
  }

  #nodeOf(node: number): number {
    if (node === 0) return 0;
    const known = this.#nodes.at(node);
    if (known !== 0) return known - 1;
    const { stacks } = this.from;
    let count = 0;
    for (let at = node; at !== 0; at = stacks.parentOf(at))
      this.#stack[count++] = this.#frameOf(stacks.nodes.label.at(at));
    const taken = this.into.stacks.add(this.#stack, count);
    this.#nodes.data[node] = taken + 1;
    return taken;
  }

  #frameOf(frame: number): number {
    const known = this.#frames.at(frame);
    if (known !== 0) return known - 1;
    const { first, second } = this.from.functions.frames;
    const taken = this.into.functions.frame(this.#functionOf(first.at(frame)), second.at(frame));
    this.#frames.data[frame] = taken + 1;
    return taken;
  }

  #functionOf(index: number): number {
    const known = this.#functions.at(index);
    if (known !== 0) return known - 1;
    const facts = this.from.functions.facts[index] as FunctionFacts;
    const taken = this.shared.add(facts);
    this.#functions.data[index] = taken + 1;
    this.#seen[index] = facts;
    return taken;
  }

  #labelsOf(set: number): number {
    const known = this.#labels.at(set);
    if (known !== 0) return known - 1;
    const taken = this.into.labels.addOfNode(this.from.labels, set, this.node);
    this.#labels.data[set] = taken + 1;
    return taken;
  }

  #refreshFunctions(): void {
    const { functions } = this.into;
    const { facts } = this.from.functions;
    for (let index = 0; index < this.#functions.length; index++) {
      const now = facts[index] as FunctionFacts;
      if (this.#functions.at(index) === 0 || this.#seen[index] === now) continue;
      this.#seen[index] = now;
      const taken = this.#functions.at(index) - 1;
      functions.placed(taken, now);
      if (now.object !== "") functions.located(taken, now.object, true);
    }
  }
}

/** Rows that are gone have no number. */
function forgetFrom(numbers: GrowingNumbers, first: number): void {
  for (let index = 0; index < numbers.length; index++) if (numbers.at(index) > first) numbers.data[index] = 0;
}
