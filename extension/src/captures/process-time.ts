// How much of the VM's processor time, by its own clock, is in the samples. No vscode in here.

import type { ProcessTime } from "../../../contract/protocol.generated.js";

/** The share that samples account for, at most; rounded up. Undefined where nothing is known to be missing. */
export function accountedShare(time: ProcessTime | undefined): number | undefined {
  if (time === undefined || time.cpu_ns === 0 || time.missing_ns === 0) return undefined;
  const missing = Math.min(time.missing_ns / time.cpu_ns, 1);
  const share = Math.ceil((1 - missing) * 100) / 100;
  return share < 1 ? share : undefined;
}
