// What a page shows the answer of: work that is done one at a time, where a new one takes the place of the one before. Knows no editor.

/** What one piece of work may ask of the others. */
export interface Turn {
  /** Aborted: no caller waits for it any longer. */
  readonly signal: AbortSignal;
  /** Whether no other has taken its place. */
  isLatest(): boolean;
}

export class LatestAnswer<Answer> {
  #running: AbortController | null = null;
  #last: Answer | null = null;

  /** The answer; null while there is none, or another one is on its way. */
  get last(): Answer | null {
    return this.isRunning ? null : this.#last;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /**
   * @param instead the answer when the work fails
   * @param instead the answer when the work fails; `before`: the last one, which a user who cancels keeps
   * @returns null when another one has taken its place, and no caller waits for it
   */
  async ask(
    work: (turn: Turn) => Promise<Answer>,
    instead: (error: unknown, isCancelled: boolean, before: Answer | null) => Answer,
  ): Promise<Answer | null> {
    this.cancel();
    const mine = new AbortController();
    const isLatest = () => this.#running === mine;
    this.#running = mine;
    let answer: Answer;
    try {
      answer = await work({ signal: mine.signal, isLatest });
    } catch (error) {
      answer = instead(error, mine.signal.aborted, this.#last);
    }
    if (!isLatest()) return null;
    this.#running = null;
    this.#last = answer;
    return answer;
  }

  cancel(): void {
    this.#running?.abort();
  }

  /** Ends the work, and forgets the answer. */
  dispose(): void {
    this.cancel();
    this.#last = null;
  }
}
