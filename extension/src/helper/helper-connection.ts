// What the rest of the extension sees of the helper. No vscode in here.

import type { CaptureEndedParams, CaptureIncrementParams, CaptureResyncParams, Requests } from "../../../contract/protocol.generated.js";

/** Requests that may be made; the life cycle is the supervisor's. */
export type HelperMethod = Exclude<keyof Requests, "initialize" | "shutdown">;

/** A `vscode.CancellationToken`. */
export interface Cancellation {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => { dispose(): void };
}

/** What the helper tells about captures, and that it ended itself. */
export interface CaptureListener {
  increment(params: CaptureIncrementParams): void;
  resync(params: CaptureResyncParams): void;
  ended(params: CaptureEndedParams): void;
  /** The helper is gone; nothing follows. `why` is a sentence. */
  helperGone(why: string): void;
}

export interface HelperConnection {
  /**
   * Asks the helper, starting it when it does not run.
   * @throws {HelperError} when it cannot be asked or refuses
   * @throws {Cancelled} when the token was
   */
  request<M extends HelperMethod>(method: M, params: Requests[M]["params"], token?: Cancellation): Promise<Requests[M]["result"]>;
  /** Hears of all captures until disposed. */
  listen(listener: CaptureListener): { dispose(): void };
}
