// When a page is sent something new. Hidden pages lose messages, so nothing is built for them.

import { RefreshPace } from "./refresh-pace.js";

const KEPT_PAGE_MS = 500;

/** Those whose pages are in sight: they share what refreshes may cost. */
const inSight = new Set<RefreshSchedule>();

export interface Clock {
  nowMs(): number;
  /** Calls back once; the answer forgets it. */
  later(ms: number, call: () => void): () => void;
}

export class RefreshSchedule {
  readonly #pace = new RefreshPace();
  readonly #clock: Clock;
  readonly #build: () => void;
  #ready = false;
  #visible = true;
  #stale = true;
  #forget: (() => void) | null = null;

  constructor(clock: Clock, build: () => void) {
    this.#clock = clock;
    this.#build = build;
  }

  /** Whether the page takes messages. */
  get isInSight(): boolean {
    return this.#ready && this.#visible;
  }

  /** The page listens; it knows nothing yet. */
  pageReady(): void {
    this.#ready = true;
    this.#noteSight();
    this.now();
  }

  setVisible(visible: boolean): void {
    if (this.#visible === visible) return;
    this.#visible = visible;
    this.#noteSight();
    // The page was most likely thrown away while hidden and comes back with `ready`. Only one that was kept waits in vain.
    if (visible && this.#stale) this.#in(KEPT_PAGE_MS);
  }

  /** The reader waits for it. */
  now(): void {
    this.#stale = true;
    if (!this.#ready || !this.#visible) return;
    this.#forget?.();
    this.#forget = null;
    this.#run();
  }

  /** The capture grew: about once a second is enough. */
  soon(): void {
    this.#stale = true;
    if (!this.#ready || !this.#visible || this.#forget) return;
    const waitMs = this.#pace.waitMs(this.#clock.nowMs(), inSight.size);
    if (waitMs === 0) this.#run();
    else this.#in(waitMs);
  }

  dispose(): void {
    this.#ready = false;
    this.#noteSight();
    this.#forget?.();
    this.#forget = null;
  }

  #noteSight(): void {
    if (this.isInSight) inSight.add(this);
    else inSight.delete(this);
  }

  #in(ms: number): void {
    if (this.#forget) return;
    this.#forget = this.#clock.later(ms, () => {
      this.#forget = null;
      if (this.#ready && this.#visible && this.#stale) this.#run();
    });
  }

  #run(): void {
    const startedMs = this.#clock.nowMs();
    this.#stale = false;
    this.#build();
    this.#pace.built(startedMs, this.#clock.nowMs() - startedMs);
  }
}
