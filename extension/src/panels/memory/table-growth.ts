// How ETS tables have changed since the first look. Seen from outside, tables have no number of their own: those of one
// name, owner and type cannot be told apart, and no change of them is shown.

import type { TableGrowth } from "../../../../contract/messages/memory.js";
import type { EtsTableMemory } from "../../../../contract/protocol.generated.js";

const SEVERAL = "several";
type Known = EtsTableMemory | typeof SEVERAL;

export class GrowthOfTables {
  #first: ReadonlyMap<string, Known> | undefined;
  #firstWasWhole = true;

  /**
   * In the order of the tables; the first time all are as they were.
   * @param isWhole whether these are all tables that there are: else one that is new may only have been left out before
   */
  of(tables: readonly EtsTableMemory[], isWhole: boolean): (TableGrowth | null)[] {
    const now = byKey(tables);
    if (this.#first === undefined) {
      this.#first = now;
      this.#firstWasWhole = isWhole;
    }
    const first = this.#first;
    return tables.map((table) => {
      const key = keyOf(table);
      const before = first.get(key);
      if (before === SEVERAL || now.get(key) === SEVERAL || (before === undefined && !this.#firstWasWhole)) return null;
      return {
        items: table.items - (before?.items ?? 0),
        bytes: table.bytes - (before?.bytes ?? 0),
        isNew: before === undefined,
      };
    });
  }

  forget(): void {
    this.#first = undefined;
  }
}

function byKey(tables: readonly EtsTableMemory[]): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const table of tables) known.set(keyOf(table), known.has(keyOf(table)) ? SEVERAL : table);
  return known;
}

function keyOf({ name, owner, type }: EtsTableMemory): string {
  return JSON.stringify([name, owner, type]);
}
