// A map that forgets the entries that have been unused for longest. No vscode in here.

/** At most `limit` entries, the ones used last. */
export class RecentMap<Key, Value> {
  /** In the order of their last use. */
  readonly #entries = new Map<Key, Value>();

  constructor(private readonly limit: number) {}

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, made when there is none. */
  get(key: Key, make: () => Value): Value {
    const known = this.#entries.get(key);
    const value = known ?? make();
    if (known !== undefined) this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.limit) break;
      this.#entries.delete(oldest);
    }
    return value;
  }

  /** Forgets an entry, when it still is this one. */
  drop(key: Key, value: Value): void {
    if (this.#entries.get(key) === value) this.#entries.delete(key);
  }

  /** @returns whether there was any */
  dropWhere(isUnwanted: (key: Key) => boolean): boolean {
    const unwanted = [...this.#entries.keys()].filter(isUnwanted);
    for (const key of unwanted) this.#entries.delete(key);
    return unwanted.length > 0;
  }

  clear(): void {
    this.#entries.clear();
  }

  values(): readonly Value[] {
    return [...this.#entries.values()];
  }
}
