// A page in sight that does not begin is loaded again: the editor hands its files over only once, and on a busy machine it gives up. No vscode in here.

import { later, type Later } from "../../later.js";

/** How long a page may take, for each time that it is loaded. After the last one the user decides. */
const PATIENCE_MS = [30_000, 60_000, 60_000];

export class PageStart {
  #isVisible = false;
  #giveUp: (() => void) | undefined;

  /**
   * @param load loads the page anew
   * @param failed reports that loading it again did not help
   */
  constructor(
    private readonly load: () => void,
    private readonly failed: () => void,
    private readonly callLater: Later = later,
  ) {}

  /** Loads the page anew, as when it is shown. */
  again(): void {
    this.#giveUp?.();
    this.load();
    if (this.#isVisible) this.#wait(PATIENCE_MS);
  }

  /** A page that is shown begins each time: the editor keeps none that is hidden. */
  setVisible(visible: boolean): void {
    if (visible === this.#isVisible) return;
    this.#isVisible = visible;
    this.#giveUp?.();
    if (visible) this.#wait(PATIENCE_MS);
  }

  /** The page has sent its first message. */
  begun(): void {
    this.#giveUp?.();
  }

  dispose(): void {
    this.#giveUp?.();
  }

  #wait([ms, ...more]: readonly number[]): void {
    if (ms === undefined) return;
    this.#giveUp = this.callLater(ms, () => {
      if (more.length === 0) {
        this.failed();
        return;
      }
      this.load();
      this.#wait(more);
    });
  }
}
