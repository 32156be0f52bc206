// The arguments of `extrospect.recordWhen`, checked. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { attachArguments, type AttachArguments } from "../targets/attach-arguments.js";

/** What holds unless something else is asked for, as for `record --when`. */
export const USUAL = { beforeSeconds: 60, afterSeconds: 30, maxFiles: 10 } as const;
/** A day: nobody is asked whether to watch on. */
export const LONGEST_SECONDS = 86_400;

export interface FlightArguments extends AttachArguments {
  /** The condition; it is asked for when absent. */
  readonly when: string | undefined;
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
  readonly maxFiles: number;
  readonly durationSeconds: number;
}

/** @throws {RangeError} naming the member that makes no sense */
export function flightArguments(given: unknown, l10n: Words): FlightArguments {
  const attach = attachArguments(given, l10n);
  const { when, beforeSeconds, afterSeconds, maxFiles } = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  if (when !== undefined && typeof when !== "string") throw new RangeError(l10n.t("extrospect.recordWhen: {0} must be {1}", "when", l10n.t("a condition")));
  const number = (name: string, value: unknown, usual: number, most: number) => {
    if (value === undefined) return usual;
    if (typeof value === "number" && value >= 1 && value <= most) return value;
    throw new RangeError(l10n.t("extrospect.recordWhen: {0} must be {1}", name, l10n.t("a number from 1 to {0}", most)));
  };
  const { durationSeconds = 0 } = attach;
  return {
    ...attach,
    when,
    beforeSeconds: number("beforeSeconds", beforeSeconds, USUAL.beforeSeconds, 3600),
    afterSeconds: number("afterSeconds", afterSeconds, USUAL.afterSeconds, 3600),
    maxFiles: Math.floor(number("maxFiles", maxFiles, USUAL.maxFiles, 1000)),
    durationSeconds: durationSeconds > 0 ? Math.min(durationSeconds, LONGEST_SECONDS) : LONGEST_SECONDS,
  };
}
