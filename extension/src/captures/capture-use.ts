// Which open captures are in use, and in which order they were used last. Of those that are not, a few stay in memory. No vscode in here.

/** Captures that nothing shows and that stay nevertheless: people go back and forth between a few. */
export const MOST_IDLE = 3;

export class CaptureUse {
  /** Addresses; the one used last comes last. */
  readonly #order = new Set<string>();
  readonly #holds = new Map<string, number>();

  used(address: string): void {
    this.#order.delete(address);
    this.#order.add(address);
  }

  forget(address: string): void {
    this.#order.delete(address);
  }

  /** Something shows it, or works with it. @returns what ends that, once */
  hold(address: string): () => void {
    this.#holds.set(address, this.holds(address) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = this.holds(address) - 1;
      if (left === 0) this.#holds.delete(address);
      else this.#holds.set(address, left);
    };
  }

  holds(address: string): number {
    return this.#holds.get(address) ?? 0;
  }

  /**
   * Captures that may leave memory now: idle, and not among those used last.
   * @param mayGo whether nothing else keeps it
   */
  beyond(mayGo: (address: string) => boolean): string[] {
    return [...this.#order]
      .reverse()
      .filter((address) => this.holds(address) === 0 && mayGo(address))
      .slice(MOST_IDLE);
  }
}
