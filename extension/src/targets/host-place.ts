// Which place in the list of hosts a row stands for. No vscode in here.

import type { ListPlace } from "../remote/host-list.js";
import { hostOf } from "./attach-arguments.js";

/** The group of a row, or its host; undefined when it is neither's. VMs and containers stand for their host. */
export function placeOf(row: unknown): ListPlace | undefined {
  if (typeof row !== "object" || row === null) return undefined;
  if ("group" in row && typeof row.group === "string") return { group: row.group };
  const address = hostOf(row);
  return address === undefined ? undefined : { address };
}
