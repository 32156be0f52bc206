// Lets several go on at the moment at which the last of them can. No vscode in here.

/** What one of them holds. */
export interface Ticket {
  /** It can go on. Settles when all can, those that left apart. */
  ready(): Promise<void>;
  /** It will not continue, and the others do not wait for it. Harmless after `ready`. */
  leave(): void;
}

export class StartTogether {
  #missing: number;
  #open: () => void = () => {};
  readonly #opened: Promise<void>;

  /** @param count of tickets */
  constructor(count: number) {
    this.#missing = count;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  ticket(): Ticket {
    let isCounted = false;
    const count = () => {
      if (isCounted) return;
      isCounted = true;
      this.#missing--;
      if (this.#missing <= 0) this.#open();
    };
    return {
      ready: () => {
        count();
        return this.#opened;
      },
      leave: count,
    };
  }
}
