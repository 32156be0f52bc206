// A page in sight that does not begin is loaded again: the editor hands its files over only once, and on a busy machine it gives up. No vscode in here.

/** How long a page may take, for each time that it is loaded. After the last one it stays as it is. */
const PATIENCE_MS = [30_000, 60_000];

/** Runs something later, unless it is disposed of before. */
export type Later = (run: () => void, ms: number) => { dispose(): void };

export const laterHere: Later = (run, ms) => {
  const timer = setTimeout(run, ms);
  return {
    dispose: () => {
      clearTimeout(timer);
    },
  };
};

export class PageStart {
  #isVisible = false;
  #waiting: { dispose(): void } | undefined;

  /** @param load loads the page anew */
  constructor(
    private readonly load: () => void,
    private readonly later: Later = laterHere,
  ) {}

  /** A page that is shown begins each time: the editor keeps none that is hidden. */
  setVisible(visible: boolean): void {
    if (visible === this.#isVisible) return;
    this.#isVisible = visible;
    this.#waiting?.dispose();
    if (visible) this.#wait(PATIENCE_MS);
  }

  /** The page has sent its first message. */
  begun(): void {
    this.#waiting?.dispose();
  }

  dispose(): void {
    this.#waiting?.dispose();
  }

  #wait([ms, ...more]: readonly number[]): void {
    if (ms === undefined) return;
    this.#waiting = this.later(() => {
      this.load();
      this.#wait(more);
    }, ms);
  }
}
