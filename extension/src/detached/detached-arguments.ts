// What the commands on a detached capture are given: a row of a view, or the same from a key binding. No vscode in here.

import { addressOf, type HostAddress } from "../remote/host-address.js";
import { isDetachedName, isOngoing } from "./detached-rows.js";

export interface DetachedGiven {
  readonly name: string;
  readonly host: HostAddress | undefined;
  readonly isRunning: boolean;
  /** The user has already consented. */
  readonly isConfirmed: boolean;
}

/** Undefined when it names none. */
export function detachedGiven(given: unknown): DetachedGiven | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { detached, name: plainName, host: givenHost, isConfirmed } = given as Record<string, unknown>;
  const row = typeof detached === "object" && detached !== null ? (detached as Record<string, unknown>) : {};
  const name = row["name"] ?? plainName;
  const host = givenHost === undefined ? undefined : addressOf(givenHost);
  if (!isDetachedName(name) || (givenHost !== undefined && host === undefined)) return undefined;
  return { name, host, isRunning: isOngoing(row["state"]), isConfirmed: isConfirmed === true };
}
