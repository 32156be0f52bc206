// A helper's facts of a flight recorder: checked, since the helper may run on a host that lies. No vscode in here.

import { plainText } from "../../../contract/plain-text.js";
import type { FlightEndReason } from "../../../contract/protocol.generated.js";

/** A reading of one quantity of the condition. */
export interface KnownValue {
  readonly quantity: string;
  /** Undefined when the VM does not report it. */
  readonly value: number | undefined;
  readonly isBytes: boolean;
  /** The process that has it; empty where it is not known. */
  readonly process: string;
}

/** The current readings. */
export interface KnownLook {
  readonly isWriting: boolean;
  readonly values: readonly KnownValue[];
  /** Quantities that the VM never reports. */
  readonly unknown: readonly string[];
}

/** A file that is complete, where the helper runs. */
export interface KnownFile {
  readonly captureId: number;
  readonly file: string;
  readonly found: readonly KnownValue[];
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
}

/** A condition has at most 16 comparisons. */
const MOST_VALUES = 16;
const REASONS: readonly unknown[] = [
  "duration",
  "files",
  "stopped",
  "targetGone",
  "shutdown",
  "failed",
] satisfies FlightEndReason[];

export function knownLook(given: unknown): KnownLook {
  const { isWriting, values, unknown } = members(given);
  const names = (Array.isArray(unknown) ? unknown.slice(0, MOST_VALUES) : []).filter(
    (name: unknown) => typeof name === "string",
  );
  return {
    isWriting: isWriting === true,
    values: knownValues(values),
    unknown: names.map((name: string) => plainText(name, 40)),
  };
}

/** Undefined when it names no file. */
export function knownFile(given: unknown): KnownFile | undefined {
  const { captureId, file, found, fromSeconds, triggeredSeconds, untilSeconds } = members(given);
  if (typeof captureId !== "number" || !Number.isInteger(captureId) || typeof file !== "string") return undefined;
  const seconds = (from: unknown, to: unknown) => Math.max(0, (finite(to) ?? 0) - (finite(from) ?? 0));
  return {
    captureId,
    file,
    found: knownValues(found),
    beforeSeconds: seconds(fromSeconds, triggeredSeconds),
    afterSeconds: seconds(triggeredSeconds, untilSeconds),
  };
}

export function knownReason(reason: unknown): FlightEndReason {
  return REASONS.includes(reason) ? (reason as FlightEndReason) : "failed";
}

function knownValues(values: unknown): KnownValue[] {
  if (!Array.isArray(values)) return [];
  return values.slice(0, MOST_VALUES).flatMap((one: unknown) => {
    const { quantity, value, isBytes, process } = members(one);
    if (typeof quantity !== "string") return [];
    return [
      {
        quantity: plainText(quantity, 40),
        value: finite(value),
        isBytes: isBytes === true,
        process: typeof process === "string" ? plainText(process, 60) : "",
      },
    ];
  });
}

function members(given: unknown): Record<string, unknown> {
  return typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
