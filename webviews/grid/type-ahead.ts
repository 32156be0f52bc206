// Typing letters finds a row that starts with them.

const PAUSE_MS = 800;

export class TypeAhead {
  #typed = "";
  #lastMs = -Infinity;

  /** Whether a space would continue the typed text. */
  isTyping(nowMs: number): boolean {
    return this.#typed !== "" && nowMs - this.#lastMs < PAUSE_MS;
  }

  /** Row to go to, -1 when none fits. One letter again and again goes from hit to hit. */
  find(letter: string, nowMs: number, from: number, count: number, text: (index: number) => string): number {
    this.#typed = this.isTyping(nowMs) ? this.#typed + letter.toLowerCase() : letter.toLowerCase();
    this.#lastMs = nowMs;
    const isOneLetter = [...this.#typed].every((typed) => typed === this.#typed[0]);
    const wanted = isOneLetter ? (this.#typed[0] ?? "") : this.#typed;
    // A longer prefix may still fit the row it is at.
    const first = isOneLetter ? from + 1 : Math.max(from, 0);
    for (let step = 0; step < count; step++) {
      const index = (first + step) % count;
      if (text(index).slice(0, wanted.length).toLowerCase() === wanted) return index;
    }
    return -1;
  }
}
