// The arguments of `extrospect.attachSeveral`, checked. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { addressOf, isAddress, type HostAddress } from "../remote/host-address.js";
import { isPid } from "../targets/attach-arguments.js";

/** One VM that is wanted. */
export interface WantedTarget {
  readonly pid: number;
  /** A text is a host as ssh takes it; this machine when absent. */
  readonly host?: HostAddress;
}

/**
 * @returns undefined when none are named: the user is prompted.
 * @throws {RangeError} when the argument makes no sense
 */
export function wantedTargets(given: unknown, l10n: Words): readonly WantedTarget[] | undefined {
  const targets: unknown =
    typeof given === "object" && given !== null && "targets" in given ? given.targets : undefined;
  if (targets === undefined) return undefined;
  if (!Array.isArray(targets) || targets.length === 0)
    throw new RangeError(l10n.t("extrospect.attachSeveral: `targets` must be a list of `{pid, host}`"));
  const seen = new Set<string>();
  return targets.flatMap((target: unknown): WantedTarget[] => {
    const { pid, host: givenHost } = (typeof target === "object" && target !== null ? target : {}) as Record<
      "pid" | "host",
      unknown
    >;
    const host = givenHost === undefined ? undefined : addressOf(givenHost);
    if (!isPid(pid) || (givenHost !== undefined && (host === undefined || !isAddress(host))))
      throw new RangeError(l10n.t("extrospect.attachSeveral: `targets` must be a list of `{pid, host}`"));
    const key = JSON.stringify([pid, host]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ pid, ...(host === undefined ? {} : { host }) }];
  });
}
