// How often the view of VMs looks by itself. No vscode in here.

export const LOOK_MS = 5_000;
/**
 * A look reads every VM of the machine, also the captured one and those beside it. The interval is long enough to cost
 * nothing beside sampling, and short enough that a VM that ended does not look alive for long.
 */
const LOOK_WHILE_CAPTURING_MS = 15_000;
/** Timers of an editor are late, or a little early. */
const TOLERANCE_MS = 500;

/** Called every `LOOK_MS`. @param sinceLastMs since the last look began */
export function isLookDue(sinceLastMs: number, isCapturing: boolean): boolean {
  return !isCapturing || sinceLastMs + TOLERANCE_MS >= LOOK_WHILE_CAPTURING_MS;
}
