// What the rest of the extension sees of the helper. No vscode in here.

import type {
  CaptureEndedParams,
  CaptureIncrementParams,
  CaptureResyncParams,
  FlightEndedParams,
  FlightLookedParams,
  FlightWrittenParams,
  Requests,
} from "../../../contract/protocol.generated.js";

/** Requests that may be made; the life cycle is the supervisor's. */
export type HelperMethod = Exclude<keyof Requests, "initialize" | "shutdown">;

/** A `vscode.CancellationToken`. */
export interface Cancellation {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => { dispose(): void };
}

/**
 * Receives the events of captures, those of flight recorders if it implements them, and the end of the helper itself.
 */
export interface CaptureListener {
  increment(params: CaptureIncrementParams): void;
  resync(params: CaptureResyncParams): void;
  ended(params: CaptureEndedParams): void;
  flightLooked?(params: FlightLookedParams): void;
  flightWritten?(params: FlightWrittenParams): void;
  flightEnded?(params: FlightEndedParams): void;
  /** The helper is gone; nothing follows. `why` is a sentence. */
  helperGone(why: string): void;
}

/** Receives the progress of a request. */
export type ProgressListener = (message: string, percentage: number | undefined) => void;

export interface HelperConnection {
  /**
   * Sends a request to the helper, starting it when it does not run: but never for a request that names what the helper
   * holds (an attachment, a capture, a flight, the inside of a VM), which ends with it.
   * @param onProgress   receives the progress: the current step, and the percentage done, if it is known
   * @throws {HelperError} when it cannot be reached or refuses
   * @throws {Cancelled} when the token was
   */
  request<M extends HelperMethod>(
    method: M,
    params: Requests[M]["params"],
    token?: Cancellation,
    onProgress?: ProgressListener,
  ): Promise<Requests[M]["result"]>;
  /** The listener receives the events of all captures until it is disposed of. */
  listen(listener: CaptureListener): { dispose(): void };
}
