// How often a growing capture is drawn anew: about once a second, less often when building takes long.

/** Updates come about once a second; a little less, so that one that comes early is not held back. */
const SHORTEST_MS = 800;
/** Building for all pages in sight may take this share of the extension host's time together. Taking in 32 nodes costs as much again. */
const LARGEST_SHARE = 0.05;

export class RefreshPace {
  #startedMs = -Infinity;
  #costMs = 0;

  /** Notes what a refresh cost. */
  built(startedMs: number, costMs: number): void {
    this.#startedMs = startedMs;
    // One slow build (a collection, a busy machine) must not hold back the next ones for long: half of it is forgotten each time.
    this.#costMs = this.#costMs === 0 ? costMs : Math.max(costMs, (this.#costMs + costMs) / 2);
  }

  /** Milliseconds until the next refresh may begin; 0 for now. @param pages that are refreshed, this one among them */
  waitMs(nowMs: number, pages = 1): number {
    return Math.max(this.#startedMs + Math.max(SHORTEST_MS, (this.#costMs * pages) / LARGEST_SHARE) - nowMs, 0);
  }
}
