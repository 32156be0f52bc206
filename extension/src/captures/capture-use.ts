// Which open captures are in use, and in which order they were used last. Of those that are not, a few stay in memory for a while. No vscode in here.

/** Captures that nothing shows and that stay nevertheless: people go back and forth between a few. */
export const MOST_IDLE = 3;
/** For so long, though: a window stays open for days. */
export const LONGEST_IDLE_MS = 600_000;

export class CaptureUse {
  /** Addresses; the one used last comes last. */
  readonly #order = new Set<string>();
  readonly #holds = new Map<string, number>();
  /** When it was last in use, by address. */
  readonly #usedMs = new Map<string, number>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  used(address: string): void {
    this.#order.delete(address);
    this.#order.add(address);
    this.#usedMs.set(address, this.nowMs());
  }

  /** It is in use now, though not anew: its place in the order stays. */
  stillUsed(address: string): void {
    if (this.#order.has(address)) this.#usedMs.set(address, this.nowMs());
  }

  forget(address: string): void {
    this.#order.delete(address);
    this.#usedMs.delete(address);
  }

  /** Something shows it, or works with it. @returns what ends that, once */
  hold(address: string): () => void {
    this.#holds.set(address, this.holds(address) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = this.holds(address) - 1;
      if (left === 0) {
        this.#holds.delete(address);
        this.stillUsed(address);
      } else this.#holds.set(address, left);
    };
  }

  holds(address: string): number {
    return this.#holds.get(address) ?? 0;
  }

  /**
   * Captures that may leave memory now: idle, and not among those used last, or not for long.
   * @param mayGo whether nothing else keeps it
   */
  beyond(mayGo: (address: string) => boolean): string[] {
    return this.#idle(mayGo).filter((address, at) => at >= MOST_IDLE || this.#leftMs(address) <= 0);
  }

  /** Time until the next one may leave memory, in milliseconds; undefined when time changes nothing. */
  untilNextMs(mayGo: (address: string) => boolean): number | undefined {
    const left = this.#idle(mayGo)
      .map((address) => this.#leftMs(address))
      .filter((ms) => ms > 0);
    return left.length === 0 ? undefined : Math.min(...left);
  }

  /** The one used last comes first. */
  #idle(mayGo: (address: string) => boolean): string[] {
    return [...this.#order].reverse().filter((address) => this.holds(address) === 0 && mayGo(address));
  }

  #leftMs(address: string): number {
    return (this.#usedMs.get(address) ?? 0) + LONGEST_IDLE_MS - this.nowMs();
  }
}
