// Why a scheduler does not come to time limits that have passed.
import type { LateCause } from "./protocol.generated.js";

const CAUSES: readonly LateCause[] = ["process", "throttled", "waits_for_processor", "blocked", "offline", "unknown"];

/**
 * The cause as given, by a helper or in a capture. Earlier versions named the process that the scheduler ran, whatever else
 * kept that from it: without a cause none is known.
 */
export function lateCause(given: unknown): LateCause {
  return CAUSES.find((cause) => cause === given) ?? "unknown";
}
