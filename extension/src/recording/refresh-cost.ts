// What live refreshes cost the extension host. No vscode in here.

const KEPT = 600;

/** Milliseconds of the refreshes of the running or last capture: appending, and whatever the views do at once. */
export class RefreshCost {
  #costs: number[] = [];

  /** A capture begins. */
  clear(): void {
    this.#costs = [];
  }

  add(ms: number): void {
    this.#costs.push(ms);
    if (this.#costs.length > KEPT) this.#costs.shift();
  }

  get count(): number {
    return this.#costs.length;
  }

  /** NaN when there was none. */
  get lastMs(): number {
    return this.#costs.at(-1) ?? Number.NaN;
  }

  /** NaN when there was none. */
  get medianMs(): number {
    const sorted = [...this.#costs].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  }

  /** NaN when there was none. */
  get maxMs(): number {
    return this.#costs.length === 0 ? Number.NaN : Math.max(...this.#costs);
  }
}
