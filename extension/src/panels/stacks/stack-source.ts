// Who takes the stacks. The helper's client implements it.

import type { PstackResult } from "../../../../contract/protocol.generated.js";

/** What of `vscode.CancellationToken` is needed. */
export interface Cancellation {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(cancelled: () => void): { dispose(): void };
}

export interface StackSource {
  /** Rejects with the helper's error (`what`, `why`, `fix`), or when it was cancelled. */
  stacks(pid: number, all: boolean, token: Cancellation): Promise<PstackResult>;
}
