// Where the lines of one text are in another.

import { diffArrays } from "diff";
import type { LineState } from "../mapped-file.js";

/** Where a line is in another text. */
export interface LinePlace {
  /** From 1; 0 when gone. */
  readonly line: number;
  readonly state: LineState;
}

const GONE: LinePlace = { line: 0, state: "gone" };
/** Lines inserted and deleted together, above which only lines that occur once are followed. Keeps the diff of a rewritten file short. */
const MAX_EDITS = 400;
const EDITED_LIKENESS = 0.5;
/** How far an edited line is looked for; less far where much was edited. */
const REACH = { usual: 50, manyLines: 4, many: 2_000 };

/** Lines of a text, whatever ends them. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** A map from every line of `before` to `after`. It answers in both directions. */
export class LineMap {
  readonly #to: Int32Array;
  readonly #changed = new Set<number>();
  readonly isSame: boolean;

  constructor(before: readonly string[], after: readonly string[]) {
    this.#to = new Int32Array(before.length);
    let head = 0;
    while (head < before.length && head < after.length && before[head] === after[head]) this.#to[head] = ++head;
    let beforeEnd = before.length;
    let afterEnd = after.length;
    while (beforeEnd > head && afterEnd > head && before[beforeEnd - 1] === after[afterEnd - 1])
      this.#to[--beforeEnd] = afterEnd--;
    this.isSame = head === before.length && before.length === after.length;
    if (beforeEnd > head && afterEnd > head)
      this.#compare(before.slice(head, beforeEnd), after.slice(head, afterEnd), head);
  }

  /** Where a line of `before` is now. */
  map(line: number): LinePlace {
    const to = this.#to[line - 1];
    if (to === undefined || to === 0) return GONE;
    if (this.#changed.has(line)) return { line: to, state: "changed" };
    return { line: to, state: to === line ? "exact" : "moved" };
  }

  /** The line of `before` that is now at `line`; 0 when it is new. */
  origin(line: number): number {
    return this.#to.indexOf(line) + 1;
  }

  #compare(before: readonly string[], after: readonly string[], offset: number): void {
    const parts = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
    let from = 0;
    let to = 0;
    for (const part of parts ?? []) {
      const count = part.value.length;
      if (part.removed) from += count;
      else if (part.added) to += count;
      else for (let index = 0; index < count; index++) this.#to[offset + from++] = offset + ++to;
    }
    this.#followUnique(before, after, offset);
    this.#pairEdited(before, after, offset);
  }

  /** Code that was moved as a block: lines that occur once among the deleted and once among the new ones, and their neighbours. */
  #followUnique(before: readonly string[], after: readonly string[], offset: number): void {
    const taken = this.#taken(after.length, offset);
    const places = uniquePlaces(after, (index) => taken[index] === 0);
    const deleted = uniquePlaces(before, (index) => this.#to[offset + index] === 0);
    for (const [text, from] of deleted) {
      const to = places.get(text);
      if (from < 0 || to === undefined || to < 0 || taken[to] !== 0 || text.trim().length < 3) continue;
      for (const step of [1, -1]) {
        for (let at = step === 1 ? 0 : -1; ; at += step) {
          const a = from + at;
          const b = to + at;
          if (
            a < 0 ||
            b < 0 ||
            a >= before.length ||
            b >= after.length ||
            before[a] !== after[b] ||
            this.#to[offset + a] !== 0 ||
            taken[b] !== 0
          )
            break;
          this.#to[offset + a] = offset + b + 1;
          taken[b] = 1;
        }
      }
    }
  }

  /** Between two lines that stayed: a deleted and a new line that are much alike are one edited line. */
  #pairEdited(before: readonly string[], after: readonly string[], offset: number): void {
    const taken = this.#taken(after.length, offset);
    const reach = before.length > REACH.many ? REACH.manyLines : REACH.usual;
    let next = 0;
    for (let from = 0; from < before.length; from++) {
      const mapped = this.#to[offset + from] ?? 0;
      if (mapped !== 0) {
        next = mapped - offset;
        continue;
      }
      const text = (before[from] ?? "").trim();
      if (text === "") continue;
      for (let to = next; to < after.length && to < next + reach && taken[to] === 0; to++) {
        if (likeness(text, (after[to] ?? "").trim()) < EDITED_LIKENESS) continue;
        this.#to[offset + from] = offset + to + 1;
        this.#changed.add(offset + from + 1);
        taken[to] = 1;
        next = to + 1;
        break;
      }
    }
  }

  #taken(length: number, offset: number): Uint8Array {
    const taken = new Uint8Array(length);
    for (const to of this.#to) if (to > offset && to <= offset + length) taken[to - offset - 1] = 1;
    return taken;
  }
}

/** Index of each text that occurs once among the wanted lines; -1 for those that occur more often. */
function uniquePlaces(lines: readonly string[], counts: (index: number) => boolean): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, text] of lines.entries()) if (counts(index)) places.set(text, places.has(text) ? -1 : index);
  return places;
}

/** How much of two lines is the same at both ends, 0 to 1. */
function likeness(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return (head + tail) / Math.max(a.length, b.length, 1);
}
