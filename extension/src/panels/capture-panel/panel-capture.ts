// Which capture a panel shows: it stays with its own, or follows the one in view. No vscode in here.

/** The open captures, by their addresses. */
interface Captures<Address, Opened> {
  /** The capture in view. */
  readonly current: Opened | undefined;
  get(uri: Address): Opened | undefined;
  /** Keeps it in memory until the answer is disposed of. */
  hold(uri: Address): { dispose(): unknown };
}

export class PanelCapture<Address extends { toString(): string }, Opened extends { readonly uri: Address }> {
  /** Undefined: it follows, or takes the first capture that comes into view. */
  #own: { readonly uri: Address; readonly held: { dispose(): unknown } } | undefined;
  #isFollowing = false;

  /**
   * @param own the one in view when absent
   * @param isFollowing the panel followed before the window was reloaded, and does so again
   */
  constructor(
    private readonly captures: Captures<Address, Opened>,
    own?: Address,
    isFollowing = false,
  ) {
    if (isFollowing) this.follow();
    else if (own === undefined) this.stay();
    else this.stayWith(own);
  }

  /** Undefined while it is not open, or none is in view. */
  get shown(): Opened | undefined {
    return this.#own === undefined ? this.captures.current : this.captures.get(this.#own.uri);
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Whether it stays with this capture. */
  isOf(uri: Address): boolean {
    return this.#own?.uri.toString() === uri.toString();
  }

  follow(): void {
    this.#letGo();
    this.#isFollowing = true;
  }

  /** Stays with the capture that it shows. */
  stay(): void {
    const { current } = this.captures;
    if (this.#own === undefined && current !== undefined) this.stayWith(current.uri);
    this.#isFollowing = false;
  }

  stayWith(uri: Address): void {
    const held = this.captures.hold(uri);
    this.#letGo();
    this.#own = { uri, held };
    this.#isFollowing = false;
  }

  /** Another capture came into view: a panel that has none takes it. */
  viewChanged(): void {
    if (!this.#isFollowing) this.stay();
  }

  /** Its own capture cannot be opened. */
  leave(): void {
    if (this.#isFollowing) return;
    this.#letGo();
    this.stay();
  }

  dispose(): void {
    this.#letGo();
  }

  #letGo(): void {
    this.#own?.held.dispose();
    this.#own = undefined;
  }
}

/** Whether a panel followed the capture in view, by the state that its page kept over a reload. */
export function didFollow(state: unknown): boolean {
  return typeof state === "object" && state !== null && "follows" in state && state.follows === true;
}
