// From one capture to the one before or after it. No vscode in here.

/** `older` is the one recorded before, `newer` the one recorded after. */
export type CaptureStep = "older" | "newer";

/**
 * @param newestFirst the addresses of all captures
 * @param current     the address of the one in view
 * @returns where to go; without a capture in view the newest one is meant. Undefined: there is none
 */
export function neighbourOf(
  newestFirst: readonly string[],
  current: string | undefined,
  step: CaptureStep,
): number | undefined {
  const here = current === undefined ? -1 : newestFirst.indexOf(current);
  const there = here < 0 ? 0 : step === "older" ? here + 1 : here - 1;
  return there >= 0 && there < newestFirst.length ? there : undefined;
}
