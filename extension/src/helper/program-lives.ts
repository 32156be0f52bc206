// The lives of a program that is started when it is needed, and ended. Starts and ends never cross: a start waits until
// the program before it is over. No vscode in here.

/** The start was given up before the program answered. */
export class StartGivenUp extends Error {
  override readonly name = "StartGivenUp";
}

/** How one life begins and ends. */
export interface LifeWork<L> {
  /** Starts the program. Once `signal` is aborted it is no longer wanted: it fails soon, or its result is ended. */
  make(signal: AbortSignal): Promise<L>;
  /** Waits until the program answers. One that does not is ended. */
  greet(life: L, signal: AbortSignal): Promise<void>;
  /** Ends it. Called exactly once for each life that was made. */
  end(life: L): Promise<void>;
}

/** One start, and its result. */
interface Start<L> {
  readonly giveUp: AbortController;
  readonly made: Promise<L>;
  readonly running: Promise<L>;
  life: L | undefined;
  hasAnswered: boolean;
  /** Set once it is no longer wanted: settles when everything that it made has ended. */
  over: Promise<void> | undefined;
}

/** At most one program is there at any time, and each that was made is ended. */
export class ProgramLives<L> {
  #current: Start<L> | undefined;
  /** Starts whose program may be there still, in their order: the current one, and those that are being ended. */
  readonly #all = new Set<Start<L>>();
  #stops = 0;

  constructor(private readonly work: LifeWork<L>) {}

  /**
   * The life that runs or is about to; starts one when there is none. Rejects with {@link StartGivenUp} when it is
   * stopped before it answers.
   */
  running(): Promise<L> {
    this.#current ??= this.#start();
    return this.#current.running;
  }

  /** It runs, or is being started. */
  get isWanted(): boolean {
    return this.#current !== undefined;
  }

  /** The life that runs and answers; undefined while there is none, and as soon as it has ended or is to end. */
  get answering(): L | undefined {
    return this.#current?.hasAnswered === true ? this.#current.life : undefined;
  }

  /** Settles when everything that is being ended now has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#all].map(({ over }) => over));
  }

  /** The life that was made last, while its program may be there still. */
  get latest(): L | undefined {
    return [...this.#all].at(-1)?.life;
  }

  /** Ends everything that runs, and gives up pending starts. */
  async stop(): Promise<void> {
    this.#stops += 1;
    await Promise.all([...this.#all].map((start) => this.#end(start)));
  }

  /** Gives up a start that was not answered; a running program continues. */
  giveUpStart(): void {
    if (this.#current?.hasAnswered === false) void this.#end(this.#current);
  }

  /**
   * It ended by itself, after it had answered. Its remains are ended.
   * @returns whether it may be started again: it was not stopped, before or during this call
   */
  async gone(life: L): Promise<boolean> {
    const start = [...this.#all].find((each) => each.life === life);
    if (start === undefined || start.over !== undefined) return false;
    const stops = this.#stops;
    // It had answered, though the code that waits for that may not know yet: it was not given up.
    start.hasAnswered = true;
    await this.#end(start);
    return stops === this.#stops;
  }

  #start(): Start<L> {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const made = Promise.all([...this.#all].map(({ over }) => over)).then(() => {
      if (signal.aborted) throw new StartGivenUp();
      return this.work.make(signal);
    });
    const running = Promise.race([made.then((life) => this.#greeted(start, life)), rejectionBy(signal)]);
    const start: Start<L> = { giveUp, made, running, life: undefined, hasAnswered: false, over: undefined };
    this.#all.add(start);
    running.catch(() => this.#end(start));
    return start;
  }

  async #greeted(start: Start<L>, life: L): Promise<L> {
    start.life = life;
    if (start.giveUp.signal.aborted) throw new StartGivenUp();
    await this.work.greet(life, start.giveUp.signal);
    start.hasAnswered = true;
    return life;
  }

  /** It is no longer wanted: its program is ended, as soon as there is one. */
  #end(start: Start<L>): Promise<void> {
    // Only its own: a newer start may be the current one.
    if (this.#current === start) this.#current = undefined;
    if (!start.hasAnswered) start.giveUp.abort();
    return (start.over ??= start.made
      .then((life) => this.work.end(life))
      .catch(() => {})
      .then(() => void this.#all.delete(start)));
  }
}

function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new StartGivenUp()), { once: true });
  });
}
