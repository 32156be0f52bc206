// Who takes the stacks. The helper's client implements it.

import type { PstackResult } from "../../../../contract/protocol.generated.js";
import type { Cancellation } from "../../helper/helper-connection.js";
import type { HostAddress } from "../../remote/host-address.js";

/** A VM, on this machine or on another host. */
export interface StackTarget {
  readonly pid: number;
  /** This machine when absent. */
  readonly host?: HostAddress | undefined;
}

export interface StackSource {
  /** Rejects with the helper's error (`what`, `why`, `fix`), or when it was cancelled. */
  stacks(target: StackTarget, all: boolean, token: Cancellation): Promise<PstackResult>;
}
