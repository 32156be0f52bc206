// Values of lines in earlier snapshots, for their trends. Only of lines that were in sight, and bounded.

import type { ShownLine } from "../../contract/messages/processes.js";

/** Looks that are remembered of each. */
export const MOST_LOOKS = 60;
const MOST_KEYS = 1000;

export type Trend = "mailbox" | "memory" | "reductions";

/** One look's number and value. */
export type Seen = readonly [look: number, value: number];

type Values = Record<Trend, Seen[]>;

export class ValueHistory {
  /** Those that were seen last come last. */
  readonly #values = new Map<string, Values>();

  /** @param look number of the look that the lines are of */
  add(look: number, lines: readonly ShownLine[]): void {
    for (const line of lines) {
      const known = this.#values.get(line.key) ?? { mailbox: [], memory: [], reductions: [] };
      this.#values.delete(line.key);
      this.#values.set(line.key, known);
      append(known.mailbox, look, line.mailbox);
      append(known.memory, look, line.memory);
      append(known.reductions, look, line.reductionsPerSecond);
    }
    for (const key of this.#values.keys()) {
      if (this.#values.size <= MOST_KEYS) return;
      this.#values.delete(key);
    }
  }

  of(key: string, trend: Trend): readonly Seen[] {
    return this.#values.get(key)?.[trend] ?? [];
  }

  /** Another VM counts its looks anew. */
  forget(): void {
    this.#values.clear();
  }
}

function append(seen: Seen[], look: number, value: number | null): void {
  if (value === null || seen.at(-1)?.[0] === look) return;
  seen.push([look, value]);
  while ((seen[0]?.[0] ?? look) <= look - MOST_LOOKS) seen.shift();
}
