// The state that the editor keeps with a panel over a reload of its window: the page's own, and whether the panel
// follows the capture in view, which the page itself never reads.

/** Where the editor keeps it. */
interface Kept {
  getState(): unknown;
  setState(state: unknown): void;
}

export class PanelState<State extends object> {
  readonly #kept: Kept;
  #follows: boolean;

  constructor(kept: Kept) {
    this.#kept = kept;
    this.#follows = (this.saved() as { readonly follows?: unknown }).follows === true;
  }

  saved(): Partial<State> {
    const state = this.#kept.getState();
    return typeof state === "object" && state !== null ? state : {};
  }

  save(state: Partial<State>): void {
    this.#kept.setState(this.#follows ? { ...state, follows: true } : state);
  }

  setFollows(follows: boolean): void {
    if (follows === this.#follows) return;
    this.#follows = follows;
    const own = Object.entries(this.saved()).filter(([name]) => name !== "follows");
    this.save(Object.fromEntries(own) as Partial<State>);
  }
}
