// The rows that are chosen in a list that is replaced while it is open. No vscode in here.

/** A list of the editor in which several rows can be chosen. */
export interface ChoiceList<Item> {
  readonly items: readonly Item[];
  selectedItems: readonly Item[];
  onDidChangeSelection(changed: (selected: readonly Item[]) => void): unknown;
}

/** The editor has answered a list that replaces another within this. */
const ROUND_TRIP_MS = 5_000;

/**
 * The editor forgets the choice when rows are replaced: it reports that nothing is chosen, and takes a choice again only
 * after that. Clicks of the user may arrive at any moment in between.
 */
export class KeptChoice<Item> {
  #chosen: ReadonlySet<string> = new Set();
  /** Replacements whose loss of the choice the editor has not reported. */
  #unreported = 0;
  #replacedMs = Number.NEGATIVE_INFINITY;
  /** When the choice was last set again. */
  #returnedMs = Number.NEGATIVE_INFINITY;

  /** @param keyOf the same for a row in the next list; undefined for a row that cannot be chosen */
  constructor(
    private readonly list: ChoiceList<Item>,
    private readonly keyOf: (item: Item) => string | undefined,
    private readonly nowMs: () => number,
  ) {
    list.onDidChangeSelection((selected) => this.#changed(selected));
  }

  keepWhile(replace: () => void): void {
    replace();
    // Also without a choice: a click may be on its way. One that the editor has had time to report had nothing to report.
    this.#unreported = this.#isRecent(this.#replacedMs) ? this.#unreported + 1 : 1;
    this.#replacedMs = this.nowMs();
    if (this.#chosen.size > 0) this.#choose();
  }

  get chosen(): readonly Item[] {
    return this.list.items.filter((item) => this.#isChosen(item));
  }

  #changed(selected: readonly Item[]): void {
    const keys = new Set(selected.flatMap((item) => this.keyOf(item) ?? []));
    if (selected.length === 0 && this.#unreported > 0 && this.#isRecent(this.#replacedMs)) {
      this.#unreported -= 1;
      return this.#choose();
    }
    // A click between the loss of the choice and its return: the editor reports the rows clicked since then alone, and
    // the choice that is on its way to it may lack this row.
    const isReturning = this.#isRecent(this.#returnedMs);
    const isAdded = isReturning && [...keys].some((key) => !this.#chosen.has(key));
    this.#chosen = isAdded ? new Set([...this.#chosen, ...keys]) : keys;
    if (isReturning || this.#chosen.size !== selected.length) this.#choose();
  }

  #choose(): void {
    this.#returnedMs = this.nowMs();
    this.list.selectedItems = this.chosen;
  }

  #isChosen(item: Item): boolean {
    const key = this.keyOf(item);
    return key !== undefined && this.#chosen.has(key);
  }

  #isRecent(sinceMs: number): boolean {
    return this.nowMs() - sinceMs < ROUND_TRIP_MS;
  }
}
