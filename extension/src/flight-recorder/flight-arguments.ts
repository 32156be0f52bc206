// The arguments of `extrospect.recordWhen`, checked. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { LONGEST_STRETCH_SECONDS, MOST_FLIGHT_FILES } from "../setting-values.js";
import { attachArguments, type AttachArguments } from "../targets/attach-arguments.js";

/** A day: there is no prompt to continue. */
export const LONGEST_SECONDS = 86_400;

/** How much is recorded, and how often. */
export interface FlightLimits {
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
  readonly maxFiles: number;
}

export interface FlightArguments extends AttachArguments, FlightLimits {
  /** The condition; when absent, the user is prompted. */
  readonly when: string | undefined;
  readonly durationSeconds: number;
}

/**
 * @param usual the values of absent arguments
 * @throws {RangeError} naming the member that makes no sense
 */
export function flightArguments(given: unknown, usual: FlightLimits, l10n: Words): FlightArguments {
  const attach = attachArguments(given, l10n);
  const { when, beforeSeconds, afterSeconds, maxFiles } = (
    typeof given === "object" && given !== null ? given : {}
  ) as Record<string, unknown>;
  if (when !== undefined && typeof when !== "string")
    throw new RangeError(l10n.t("extrospect.recordWhen: {0} must be {1}", "when", l10n.t("a condition")));
  const number = (name: keyof FlightLimits, value: unknown, most: number) => {
    if (value === undefined) return usual[name];
    if (typeof value === "number" && value >= 1 && value <= most) return value;
    throw new RangeError(
      l10n.t("extrospect.recordWhen: {0} must be {1}", name, l10n.t("a number from 1 to {0}", most)),
    );
  };
  const { durationSeconds = 0 } = attach;
  return {
    ...attach,
    when,
    beforeSeconds: number("beforeSeconds", beforeSeconds, LONGEST_STRETCH_SECONDS),
    afterSeconds: number("afterSeconds", afterSeconds, LONGEST_STRETCH_SECONDS),
    maxFiles: Math.floor(number("maxFiles", maxFiles, MOST_FLIGHT_FILES)),
    durationSeconds: durationSeconds > 0 ? Math.min(durationSeconds, LONGEST_SECONDS) : LONGEST_SECONDS,
  };
}
