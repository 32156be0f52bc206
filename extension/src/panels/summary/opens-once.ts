// When the summary opens by itself: once for a capture that the user starts, and never again after they have closed it. Knows no editor.

/** The known facts of a capture that the user has started. */
export interface StartedCapture {
  readonly uri: string;
  readonly busy: number;
  readonly live: boolean;
}

export interface OpeningHost {
  nowMs(): number;
  /** Whether the user wants it to open by itself. */
  isWanted(): boolean;
  minimumSamples(): number;
  /** Whether the user has closed it before. */
  wasClosed(): boolean;
}

/** So long a capture runs before its summary opens: earlier its first samples would be all there is. */
const AFTER_MS = 2000;

export class OpensOnce {
  #waiting: { readonly uri: string; readonly sinceMs: number } | undefined;

  constructor(private readonly host: OpeningHost) {}

  /** The user has started a capture. */
  started(uri: string): void {
    this.#waiting = { uri, sinceMs: this.host.nowMs() };
  }

  /** @returns whether the summary opens now; at most once for each start */
  opensFor({ uri, busy, live }: StartedCapture): boolean {
    const { nowMs, isWanted, wasClosed, minimumSamples } = this.host;
    if (this.#waiting?.uri !== uri) return false;
    const isReady = nowMs() - this.#waiting.sinceMs >= AFTER_MS && busy >= minimumSamples();
    if (!isReady && live) return false;
    this.#waiting = undefined;
    return busy > 0 && isWanted() && !wasClosed();
  }
}
