// The arguments of `extrospect.attachSeveral`, checked. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { isPid } from "../targets/attach-arguments.js";

/** One VM that is wanted. */
export interface WantedTarget {
  readonly pid: number;
  /** As ssh takes it; this machine when absent. */
  readonly host?: string;
}

/** @returns undefined when none are named: they are asked for. @throws {RangeError} when what is named makes no sense */
export function wantedTargets(given: unknown, l10n: Words): readonly WantedTarget[] | undefined {
  const targets: unknown = typeof given === "object" && given !== null && "targets" in given ? given.targets : undefined;
  if (targets === undefined) return undefined;
  if (!Array.isArray(targets) || targets.length === 0) throw new RangeError(l10n.t("extrospect.attachSeveral: `targets` must be a list of `{pid, host}`"));
  const seen = new Set<string>();
  return targets.flatMap((target: unknown): WantedTarget[] => {
    const { pid, host } = (typeof target === "object" && target !== null ? target : {}) as Record<"pid" | "host", unknown>;
    if (!isPid(pid) || (host !== undefined && typeof host !== "string")) throw new RangeError(l10n.t("extrospect.attachSeveral: `targets` must be a list of `{pid, host}`"));
    const key = JSON.stringify([pid, host]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ pid, ...(host === undefined ? {} : { host }) }];
  });
}
