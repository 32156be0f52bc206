// How often a growing capture is drawn anew: about once a second, less often when building takes long.

/** Updates come about once a second; a little less, so that one that comes early is not held back. */
const SHORTEST_MS = 800;
/** Building may take this share of the extension host's time. */
const LARGEST_SHARE = 0.1;

export class RefreshPace {
  #startedMs = -Infinity;
  #costMs = 0;

  /** Notes what a refresh cost. */
  built(startedMs: number, costMs: number): void {
    this.#startedMs = startedMs;
    // One slow build (a collection, a busy machine) must not hold back the next ones for long: half of it is forgotten each time.
    this.#costMs = this.#costMs === 0 ? costMs : Math.max(costMs, (this.#costMs + costMs) / 2);
  }

  /** Milliseconds until the next refresh may begin; 0 for now. */
  waitMs(nowMs: number): number {
    return Math.max(this.#startedMs + Math.max(SHORTEST_MS, this.#costMs / LARGEST_SHARE) - nowMs, 0);
  }
}
