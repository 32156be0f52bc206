// A page that is filled once from a file: an unreadable file is read again whenever it changes, until it can be read.
// No vscode in here.

interface Disposable {
  dispose(): unknown;
}

export interface FillingSteps<Read> {
  /** @throws when it cannot be read now */
  read(): Promise<Read>;
  /** The returned object lives as long as the page. */
  fill(read: Read): Disposable | undefined;
  /** The page states the reason why it is not filled. */
  failed(error: unknown): void;
  /** Another program may still write the file. */
  whenChanged(run: () => void): Disposable;
}

export class Filling<Read> {
  #phase: "empty" | "reading" | "filled" | "over" = "empty";
  /** The file changed while it was read. */
  #isStale = false;
  #waiting: Disposable | undefined;
  #filled: Disposable | undefined;

  constructor(private readonly steps: FillingSteps<Read>) {}

  /** Settles when the page is filled or has failed. */
  async start(): Promise<void> {
    if (this.#phase === "reading") this.#isStale = true;
    if (this.#phase !== "empty") return;
    this.#phase = "reading";
    this.#isStale = false;
    await this.#read();
    if (this.#isStale) await this.start();
  }

  /** The page is closed. */
  dispose(): void {
    this.#phase = "over";
    for (const one of [this.#waiting, this.#filled]) one?.dispose();
    this.#waiting = this.#filled = undefined;
  }

  async #read(): Promise<void> {
    try {
      const read = await this.steps.read();
      if (this.#isOver()) return;
      this.#waiting?.dispose();
      this.#waiting = undefined;
      this.#filled = this.steps.fill(read);
      this.#phase = "filled";
    } catch (error) {
      if (this.#isOver()) return;
      this.#phase = "empty";
      this.steps.failed(error);
      this.#waiting ??= this.steps.whenChanged(() => void this.start());
    }
  }

  #isOver(): boolean {
    return this.#phase === "over";
  }
}
