// How often a program that keeps ending is started again. No vscode in here.

const MOST_RESTARTS = 4;
const WINDOW_MS = 3 * 60 * 1000;

/** Counts the unexpected ends of the helper: the fifth within three minutes is the last. */
export class RestartLimit {
  #ends: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** The helper ended unexpectedly. */
  ended(): void {
    this.#ends.push(this.now());
  }

  /** Whether it may be started once more. */
  get allowsStart(): boolean {
    const oldest = this.now() - WINDOW_MS;
    this.#ends = this.#ends.filter((end) => end > oldest);
    return this.#ends.length <= MOST_RESTARTS;
  }

  /** The user started it: begin to count anew. */
  forget(): void {
    this.#ends = [];
  }
}
